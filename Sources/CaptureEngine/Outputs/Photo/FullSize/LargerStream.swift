import CaptureControls
import CaptureModel
import CaptureSystem

/// Runs the device's stream in a larger format, so that its frames can be photos of full size. The stream returns to its format some seconds after
/// the last such photo.
///
/// The stream's subscribers keep the form of their frames, which are made of the larger ones (``LargerSource``).
final class LargerStream {
  private let context: DeviceContext
  private let settings: DeviceSettings
  private let frameDuration: FrameDurationBounds
  private let formatSwitch: FormatSwitch
  /// How many photos need the larger format now.
  private var photoCount = 0
  private var shrinking: Task<Void, Never>?
  /// Whether the camera kept its controls and its first frame looked as before, at the latest change of format.
  private var startsAsBefore = false
  /// How long the stream stays large after the last photo.
  private var timeLarge = usualTimeLarge

  static let usualTimeLarge = Duration.seconds(10)

  init(
    _ context: DeviceContext, _ settings: DeviceSettings, _ frameDuration: FrameDurationBounds,
    _ formatSwitch: FormatSwitch
  ) {
    (self.context, self.settings) = (context, settings)
    (self.frameDuration, self.formatSwitch) = (frameDuration, formatSwitch)
  }

  /// For tests.
  func setTimeLarge(_ time: Duration) { timeLarge = time }

  /// Calls `body` with the stream, which gives what `request` asks for while `body` runs.
  ///
  /// Throws the errors of starting a stream, those of ``DeviceSettings/lock(_:for:_:)``, and `failedPrecondition` if a subscriber's frames cannot be
  /// made of larger ones. The stream is then as it was.
  func run<Value>(
    _ request: PhotoRequest, in stream: ActiveStream, on device: isolated Device,
    _ body: (ActiveStream) async throws(CaptureError) -> Value
  ) async throws(CaptureError) -> Value {
    photoCount += 1
    shrinking?.cancel()
    defer {
      photoCount -= 1
      scheduleShrinking()
    }
    try await enlarge(stream, for: request, on: device)
    guard let larger = context.stream.active, context.stream.isActive(stream) else {
      throw stream.hub.end ?? context.camera.departure
    }
    return try await body(larger)
  }

  private func enlarge(
    _ stream: ActiveStream, for request: PhotoRequest, on device: isolated Device
  ) async throws(CaptureError) {
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    guard let present = context.stream.active, context.stream.isActive(stream) else {
      throw stream.hub.end ?? context.camera.departure
    }
    guard let wanted = try await device.photos.largerFormat(for: request, than: present) else { return }
    let patience = min(request.frame.settling ?? PhotoSettling.usualBound, PhotoSettling.usualBound)
    try await change(
      present, to: wanted,
      as: LargerSource(StreamFormat(wanted), insteadOf: present.viewed ?? present.format),
      atMost: patience, on: device)
  }

  private func scheduleShrinking() {
    guard photoCount == 0, context.stream.active?.viewed != nil else { return }
    shrinking?.cancel()
    shrinking = Task { [tasks = context.tasks, timeLarge] in
      guard (try? await Task.sleep(for: timeLarge)) != nil else { return }
      await tasks.device?.run { await $0.photos.largerStream.shrink(on: $0) }
    }
  }

  /// Runs the stream in its own format again, unless a photo needs the larger one.
  func shrink(on device: isolated Device) async {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    guard photoCount == 0, let stream = context.stream.active, stream.viewed != nil else { return }
    // The format does not change while photos are being taken: that would end other clients' bursts and brackets.
    guard !device.photos.activity.isCapturing else { return scheduleShrinking() }
    var wanted = stream.asViewed.request
    if let bounds = frameDuration.bounds {
      wanted = (try? await frameDuration.request(for: stream.asViewed, within: bounds)) ?? wanted
    }
    // If the gate `flash` is taken, this is tried again later. A calibration holds that gate for minutes, and new subscribers would wait as long for
    // the gate `stream`, which is held here.
    guard context.gates.flash.tryEnter() else { return scheduleShrinking() }
    context.gates.flash.leave()
    do throws(CaptureError) {
      try await change(stream, to: wanted, as: nil, atMost: PhotoSettling.usualBound, on: device)
    } catch {
      // A photo has begun meanwhile, or the camera does not start. The change is tried again later.
      scheduleShrinking()
    }
  }

  /// Changes the format of the stream. If that fails, the stream resumes as it was. The caller holds the gate `stream`.
  private func change(
    _ stream: ActiveStream, to wanted: StreamRequest, as larger: LargerSource?, atMost patience: Duration,
    on device: isolated Device
  ) async throws(CaptureError) {
    let rate = wanted.interval.map { " at \($0)" } ?? ""
    let reason =
      "the camera runs in \(wanted.size)\(rate) \(larger == nil ? "again" : "now, for photos of that size")"
    // Shrinking must also succeed if the large format gives no more frames, or if the driver now refuses to hold the settings.
    try await formatSwitch.holding(
      stream, for: wanted.size, atMost: patience, because: reason, isRequired: larger != nil, on: device
    ) { camera, before throws(CaptureError) in
      if larger == nil, photoCount > 0 || device.photos.activity.isCapturing {
        throw CaptureError(.aborted, "a photo is taken of the larger stream", .init(.occupied))
      }
      // The restart runs to its end, even if the photo's call is cancelled.
      let restarted = await context.tasks.runToEnd { device in
        await device.photos.largerStream.restart(as: wanted, larger, of: camera, before, on: device)
      }
      try restarted?.get()
    }
    device.inputs.streamStarted()
    settings.streamChanged()
    if let camera = context.camera.present { await settings.formatChanged(of: camera) }
  }

  /// Starts the stream again in the other format. If that fails, starts it as it was, and returns the reason why the format has not changed.
  private func restart(
    as wanted: StreamRequest, _ larger: LargerSource?, of camera: any Camera,
    _ before: FormatSwitch.FormerState,
    on device: isolated Device
  ) async -> Result<Void, CaptureError> {
    guard let stream = context.stream.active, stream.hub.end == nil else {
      return .failure(context.camera.departure)
    }
    var (next, before) = (stream, before)
    next.viewed = larger?.stream
    before.startsAsBefore = larger == nil && startsAsBefore
    await camera.stopStreaming()
    stream.video.setLarger(larger)
    do throws(CaptureError) {
      // The large format has to give frames: for lack of bandwidth none may come, and viewers would then have no pictures.
      startsAsBefore = try await formatSwitch.resume(
        next, as: wanted, of: camera, before, needsFrames: larger != nil, on: device)
      return .success(())
    } catch {
      if error.code == .invalidArgument { context.camera.forgetFormats() }
      let reason = device.inputs.explain(device.traffic.explain(error, of: camera.description))
      guard context.stream.isActive(stream), context.camera.isPresent(camera) else { return .failure(reason) }
      await camera.stopStreaming()
      stream.video.setLarger(stream.larger)
      do throws(CaptureError) {
        try await formatSwitch.resume(stream, as: stream.request, of: camera, before, on: device)
      } catch {
        device.end(stream, because: error)
      }
      return .failure(reason)
    }
  }
}
