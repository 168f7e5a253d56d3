import CaptureModel
import CaptureSystem
import Synchronization

/// A camera that a V4L2 driver drives. It has two descriptors, each used on a thread of its own and nowhere else.
final class V4L2Camera: Camera {
  let description: CameraDescription
  /// The users of the two descriptors; `nil` once both are closed. Their threads then end, even if somebody still holds the camera.
  private let parts: Mutex<Parts?>
  private struct Parts {
    let control: ControlPort
    let stream: CaptureStream
  }
  private let store: CounterStore
  private let end: CameraEnd

  /// `end` is reached when the camera is gone; ``close()`` must still be called then. Throws `resourceExhausted`.
  init(
    _ description: CameraDescription, _ control: ControlPort, end: CameraEnd, system: VideoSystem,
    timing: StreamTiming = .standard, memory: BufferMemory = .standard
  ) throws(CaptureError) {
    let store = CounterStore()
    let stream = try CaptureStream(
      path: description.path, type: description.isMultiplanar ? .multiPlanar : .singlePlanar, system: system,
      counters: store, timing: timing, memory: memory
    ) { end.reach() }
    self.description = description
    self.store = store
    self.end = end
    parts = Mutex(Parts(control: control, stream: stream))
  }

  private var control: ControlPort { get throws(CaptureError) { try present().control } }
  private var stream: CaptureStream { get throws(CaptureError) { try present().stream } }

  private func present() throws(CaptureError) -> Parts {
    guard let parts = parts.withLock({ $0 }) else {
      throw DeviceFailure(path: description.path)(.noDevice, "using it")
    }
    return parts
  }

  /// Starts to watch for the camera's end.
  func open() { Task { try? await control.open() } }

  /// Stops the stream and closes both descriptors, which takes as long as the driver does. The camera's end is no longer reported.
  func close() async {
    end.cancel()
    guard let parts = try? present() else { return }
    // Both descriptors are closed at the same time, so that one is closed even if the driver holds the other.
    async let retired: Void = parts.stream.retire()
    await parts.control.close()
    await retired
    self.parts.withLock { $0 = nil }
  }

  /// Reaches the camera's end: its device node has gone.
  func nodeVanished() { end.reach() }

  var unansweredSince: UInt64? {
    guard let parts = try? present() else { return nil }
    return [parts.stream.thread.unansweredSince, parts.control.thread.unansweredSince].compactMap(\.self)
      .min()
  }
  /// Whether the driver has owed an answer for a second or longer.
  var isHeld: Bool { unansweredSince.map { MonotonicClock.now() >= $0 + 1_000_000_000 } ?? false }
  var hasDriver: Bool { true }

  func formats() async throws(CaptureError) -> [FormatDescription] { try await control.formats() }

  func intervals(
    for pixelFormat: PixelFormat, at size: FrameSize
  ) async throws(CaptureError) -> IntervalOptions {
    try await control.intervals(for: pixelFormat, at: size)
  }

  func controls() async throws(CaptureError) -> [ControlDescription] { try await control.controls() }

  var controlFailures: [String] { (try? present())?.control.controlFailures.withLock { $0 } ?? [] }

  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    try await control.values(of: ids)
  }

  func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    try await control.set(assignments, pacing: pacing)
  }

  func crop() async throws(CaptureError) -> SensorCrop? { try await control.crop() }

  func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    try await control.setCrop(area, pacing: pacing)
  }

  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {
    try? await control.observe(observer)
  }

  func inputs() async throws(CaptureError) -> [CameraInput] { try await control.inputs() }

  func selectedInput() async throws(CaptureError) -> CameraInput? { try await control.selectedInput() }

  func selectInput(_ index: Int) async throws(CaptureError) { try await control.selectInput(index) }

  func adoptSignal() async throws(CaptureError) -> Bool { try await control.adoptSignal() }

  func setEDID(_ edid: [UInt8]) async throws(CaptureError) { try await control.setEDID(edid) }

  func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async {
    try? await control.observeInput(observer)
  }

  func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat {
    try await stream.start(request, into: receiver)
  }

  func stopStreaming() async { try? await stream.stop() }

  var counters: CameraCounters { store.current }
}
