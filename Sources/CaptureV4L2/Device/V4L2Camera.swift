import CaptureModel
import CaptureSystem
import Synchronization

/// A camera that a V4L2 driver drives: two descriptors, each on a queue of its own.
final class V4L2Camera: Camera {
  let description: CameraDescription
  private let control: ControlPort
  private let stream: CaptureStream
  private let store: CounterStore
  private let end: CameraEnd

  /// `unplugged` is called once, when the camera is gone and both descriptors are closed. Throws `resourceExhausted`.
  init(
    _ description: CameraDescription, _ device: consuming VideoDevice, timing: StreamTiming = .standard,
    unplugged: @escaping @Sendable () -> Void
  ) throws(CaptureError) {
    let type: BufferType = description.isMultiplanar ? .multiPlanar : .singlePlanar
    let end = CameraEnd()
    let store = CounterStore()
    let system = device.system
    let stream = try CaptureStream(
      path: description.path, type: type, system: system, counters: store, timing: timing
    ) { end.reach() }
    let control = ControlPort(device, path: description.path, type: type) { end.reach() }
    self.description = description
    self.store = store
    self.end = end
    self.control = control
    self.stream = stream
    end.onReached { [weak control, weak stream] in
      await stream?.retire()
      await control?.close()
      unplugged()
    }
  }

  /// Begins to watch for the camera's end.
  func open() { Task { await control.open() } }

  /// Stops, and closes both descriptors, without `unplugged` being told.
  func close() async {
    end.cancel()
    await stream.retire()
    await control.close()
  }

  /// The device node is gone.
  func nodeVanished() { end.reach() }

  func formats() async throws(CaptureError) -> [FormatDescription] { try await control.formats() }

  func intervals(
    for pixelFormat: PixelFormat, at size: FrameSize
  ) async throws(CaptureError) -> IntervalOptions {
    try await control.intervals(for: pixelFormat, at: size)
  }

  func controls() async throws(CaptureError) -> [ControlDescription] { try await control.controls() }

  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    try await control.values(of: ids)
  }

  func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    _ = try await control.set(assignments, pacing: nil)
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
    await control.observe(observer)
  }

  func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat {
    try await stream.start(request, into: receiver)
  }

  func stopStreaming() async { await stream.stop() }

  var counters: CameraCounters { store.current }
}
