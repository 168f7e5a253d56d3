import CaptureImaging
import CaptureModel
import CaptureSystem

/// Runs the camera in another format between two runs of the device's stream: for a photo of full size beside a small stream.
///
/// The device's stream stays what it is, with its hub, its format and its subscribers, who get no frames meanwhile. So whatever ends it in the middle does what
/// it always does: when the camera comes back after an unplugging, they get their format. The frames of the other format go to a hub of their own.
final class FormatSwitch {
  private let context: DeviceContext
  private let settings: DeviceSettings
  /// Takes the frames of the other format. It ends with the device's stream. `nil`: the camera is not switched.
  private(set) var hub: StreamHub?

  init(_ context: DeviceContext, _ settings: DeviceSettings) {
    (self.context, self.settings) = (context, settings)
  }

  /// How the camera is before it is switched.
  struct Before: Sendable {
    /// The picture, as far as it can be measured.
    var picture: SettlingReading?
    var isGrey: Bool
    /// The values of its controls.
    var values: [ControlAssignment]
    /// How long frames are awaited at most that look as before.
    var patience: Duration
    /// Why its frames are interrupted, for those who watch.
    var reason: String
    /// Whether the camera kept its controls over a start, and its first frame looked as before.
    var startsAsBefore = false
  }

  /// The frame of a photo, and how long frames were awaited that look as before.
  typealias Taken = (frame: TakenFrame, wait: PhotoSettling)

  /// A run of the camera whose first frames may not be as those before.
  struct Run: Sendable {
    let hub: StreamHub
    let pixelFormat: PixelFormat
    let before: Before
    /// Whether others get no frames until one is as before.
    var withholdsFrames = false
    /// Takes the first frame: it joins before the camera starts.
    let first = PhotoConsumer()

    /// The next frame is for `consumer`. Others have to wait for one that is as before. Where they have seen some already, they are told that these were not.
    func await(with consumer: PhotoConsumer) {
      guard withholdsFrames else { return }
      if !hub.isWithholding {
        hub.reconfigured("\(before.reason), and the first frames after it were not as before")
      }
      hub.withhold(exceptFrom: consumer)
    }
  }

  /// Switches the camera to `wanted`, has `body` take what it wants of the frames, and switches it back. The settings are held meanwhile, at the values that the
  /// camera has now. Whatever `body` throws, the stream goes on as it was, also where the task is cancelled.
  ///
  /// Throws as starting a stream does, and as ``DeviceSettings/lock(_:for:_:)``.
  func run(
    in wanted: StreamRequest, beside stream: ActiveStream, atMost patience: Duration,
    on device: isolated Device, _ body: (Run) async throws(CaptureError) -> Taken
  ) async throws(CaptureError) -> Taken {
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    let camera = try context.camera.required()
    guard let present = context.stream.active, context.stream.isActive(stream) else {
      throw stream.hub.end ?? context.camera.unplugged
    }
    let picture = try await device.photos.reading(of: present.hub)
    var undo = SettingsUndo(asked: settings.asked)
    let result: Result<Taken, CaptureError>
    do throws(CaptureError) {
      try await settings.endOwnModes(&undo)
      try await settings.lock([.exposure, .whiteBalance, .focus], for: "the switch to \(wanted.size)", &undo)
      let before = Before(
        picture: picture, isGrey: PixelConverter.isGrey(present.format.pixelFormat),
        values: try await settings.valuesToKeep(of: camera), patience: patience,
        reason: "a photo of \(wanted.size) was taken")
      try CaptureError.checkCancellation()
      result = await switched(to: wanted, from: present.hub, of: camera, before, on: device, body)
    } catch {
      result = .failure(error)
    }
    await settings.revert(undo, on: camera)
    return try result.get()
  }

  private func switched(
    to wanted: StreamRequest, from former: StreamHub, of camera: any Camera, _ before: Before,
    on device: isolated Device,
    _ body: (Run) async throws(CaptureError) -> Taken
  ) async -> Result<Taken, CaptureError> {
    var before = before
    let hub = StreamHub(
      timeline: context.timeline, defect: context.camera.imaging.defect, report: context.camera.notify)
    self.hub = hub
    let run = Run(hub: hub, pixelFormat: wanted.pixelFormat, before: before)
    let link = StreamLink(to: hub)
    await camera.stopStreaming()
    let result: Result<Taken, CaptureError>
    do throws(CaptureError) {
      try former.join(link)
      // Some drivers give their first frame at once, and the second one an interval later.
      try hub.join(run.first)
      try await start(wanted, into: hub, of: camera, on: device)
      let isKept = await settings.restoreAfterRestart(before.values, on: camera)
      let taken = try await body(run)
      before.startsAsBefore = isKept && taken.wait.frames == 1 && taken.wait.provenance == .observed
      result = .success(taken)
    } catch {
      result = .failure(error)
    }
    self.hub = nil
    former.leave(link)
    hub.end(CaptureError(.unavailable, "the photo was taken", .init(.streamEnded)))
    device.past.streams.add(hub.counters)
    await context.tasks.runToEnd { [before] in
      await $0.photos.formatSwitch.revert(of: camera, before, on: $0)
    }
    return result
  }

  private func start(
    _ wanted: StreamRequest, into hub: StreamHub, of camera: any Camera, on device: isolated Device
  ) async throws(CaptureError) {
    context.timeline.streamEnded()
    context.timeline.streamStarted(interval: wanted.interval)
    do throws(CaptureError) {
      let format = try await camera.startStreaming(wanted, into: hub)
      try format.require(wanted, of: context.camera.name)
      context.timeline.setInterval(format.interval)
      device.traffic.note(camera.description, format)
    } catch {
      if error.code == .invalidArgument { context.camera.forgetFormats() }
      throw device.inputs.explain(device.traffic.explain(error, of: camera.description))
    }
  }

  /// Has the stream go on in its format. Its consumers get frames from the first one on that looks as before; at once where the camera starts with such frames.
  private func revert(of camera: any Camera, _ before: Before, on device: isolated Device) async {
    await camera.stopStreaming()
    context.timeline.streamEnded()
    guard let stream = context.stream.active, stream.hub.end == nil, context.camera.isPresent(camera) else {
      return
    }
    let run = Run(
      hub: stream.hub, pixelFormat: stream.format.pixelFormat, before: before, withholdsFrames: true)
    stream.hub.withhold(exceptFrom: run.first)
    defer { stream.hub.offerToAll() }
    do throws(CaptureError) {
      try stream.hub.join(run.first)
      try await device.restart(
        stream, as: stream.request, of: camera, because: before.reason, restores: false)
    } catch {
      let error = device.inputs.explain(error)
      if context.stream.isActive(stream) { device.close(error) }
      context.stream.reservation?.report(.ended, error.message)
      return
    }
    let isKept = await settings.restoreAfterRestart(before.values, on: camera)
    // To look at the first frame takes as long as some frames.
    if isKept, before.startsAsBefore { stream.hub.offerToAll() }
    // A stream that gives no frames tells its subscribers itself.
    _ = try? await device.photos.frameAsBefore(in: run)
  }
}

/// Ends a hub when the stream ends to which it has joined.
private final class StreamLink: FrameConsumer {
  private let hub: StreamHub
  init(to hub: StreamHub) { self.hub = hub }

  var keepsStreamRunning: Bool { false }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { false }
  func take(_ frame: TakenFrame) -> NextFrame { .stay }
  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { hub.end(error) }
  }
}
