import CaptureImaging
import CaptureModel
import CaptureSystem

/// Runs the camera in another format between two runs of the device's stream: for a photo of full size beside a small stream.
///
/// The device's stream keeps its hub, its format and its subscribers, who get no frames meanwhile. If the stream ends meanwhile, it ends as any
/// stream does: when the camera comes back after an unplugging, the subscribers get the stream's format. The frames of the other format go to another
/// hub.
final class FormatSwitch {
  let context: DeviceContext
  let settings: DeviceSettings
  /// The hub that takes the frames of the other format. It ends with the device's stream. `nil`: the camera is not switched.
  private(set) var hub: StreamHub?

  init(_ context: DeviceContext, _ settings: DeviceSettings) {
    (self.context, self.settings) = (context, settings)
  }

  /// The frame of a photo, and how long it took until frames looked as before.
  typealias Taken = (frame: TakenFrame, wait: PhotoSettling)

  /// A run of the camera whose first frames may look different from those before.
  struct Run: Sendable {
    let hub: StreamHub
    let pixelFormat: PixelFormat
    let before: FormerState
    /// Whether other consumers get no frames until one looks as before.
    var withholdsFrames = false
    /// The consumer of the first frame. It joins before the camera starts.
    let first = PhotoConsumer()

    /// Gives the next frame to `consumer` alone, where frames are withheld until one looks as before. If the other consumers have had frames already,
    /// they get a discontinuity.
    func offer(onlyTo consumer: PhotoConsumer) {
      guard withholdsFrames else { return }
      if !hub.isWithholding {
        hub.reconfigured("\(before.reason), and the first frames after it were not as before")
      }
      hub.withhold(exceptFrom: consumer)
    }
  }

  /// Switches the camera to `wanted`, runs `body` with its frames, and switches it back. The settings keep their present values meanwhile. The stream
  /// continues as it was, even if `body` throws or the task is cancelled.
  ///
  /// Throws the errors of starting a stream, and of ``DeviceSettings/lock(_:for:_:)``.
  func run(
    in wanted: StreamRequest, beside stream: ActiveStream, atMost patience: Duration,
    on device: isolated Device, _ body: (Run) async throws(CaptureError) -> Taken
  ) async throws(CaptureError) -> Taken {
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    let reason = "a photo of \(wanted.size) was taken"
    return try await holding(stream, for: wanted.size, atMost: patience, because: reason, on: device) {
      camera, before throws(CaptureError) in
      try await switched(to: wanted, from: stream.hub, of: camera, before, on: device, body).get()
    }
  }

  private func switched(
    to wanted: StreamRequest, from former: StreamHub, of camera: any Camera, _ before: FormerState,
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
      // This consumer joins before the start: some drivers give their first frame at once, and the second one an interval later.
      try hub.join(run.first)
      try await start(wanted, into: hub, of: camera, on: device)
      let isKept = await settings.restoreAfterRestart(before.values, on: camera)
      let taken = try await body(run)
      before.startsAsBefore = isKept && taken.wait.isFirstFrameAsBefore
      result = .success(taken)
    } catch {
      result = .failure(error)
    }
    self.hub = nil
    former.leave(link)
    hub.end(CaptureError(.unavailable, "the photo was taken", .init(.streamEnded)))
    device.count(hub)
    await context.tasks.runToEnd { [before] in
      await $0.photos.formatSwitch.switchBack(camera, before, on: $0)
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

  /// Switches the camera back: the stream starts again in its own format.
  private func switchBack(_ camera: any Camera, _ before: FormerState, on device: isolated Device) async {
    await camera.stopStreaming()
    context.timeline.streamEnded()
    guard let stream = context.stream.active, stream.hub.end == nil, context.camera.isPresent(camera) else {
      return
    }
    do throws(CaptureError) {
      try await resume(stream, as: stream.request, of: camera, before, on: device)
    } catch {
      device.end(stream, because: error)
    }
  }
}

/// Joins a stream, and ends `hub` when that stream ends.
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
