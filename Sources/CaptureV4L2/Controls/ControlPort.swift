import CaptureModel
import CaptureSystem
import Dispatch

/// A camera's second descriptor: formats, controls and their events. Lives on the control queue, where a transfer to a slow
/// camera may take seconds.
actor ControlPort {
  nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let path: String
  let type: BufferType
  /// Absent once the camera is unplugged.
  private var device: VideoDevice?
  var events: EventWatch?
  var observer: (@Sendable (ControlChange) -> Void)?
  /// Less than the whole sensor was chosen here.
  var isCropped = false
  private var presenceTimer: (any DispatchSourceTimer)?
  private let unplugged: @Sendable () -> Void

  /// How often an idle camera is asked whether it is still there: vivid does not announce its end.
  private static let presenceInterval = DispatchTimeInterval.seconds(1)

  init(
    _ device: consuming VideoDevice, path: String, type: BufferType, unplugged: @escaping @Sendable () -> Void
  ) {
    self.device = consume device
    self.path = path
    self.type = type
    self.unplugged = unplugged
    executor = QueueExecutor(label: "control \(path)", threads: .own)
  }

  /// Begins to watch for the camera's end.
  func open() {
    guard device != nil, presenceTimer == nil else { return }
    let timer = DispatchSource.makeTimerSource(queue: executor.queue)
    timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.checkPresence() } }
    timer.schedule(
      deadline: .now() + Self.presenceInterval, repeating: Self.presenceInterval, leeway: .milliseconds(200))
    timer.activate()
    presenceTimer = timer
  }

  /// Closes the descriptor: until then the kernel keeps the device's number taken.
  func close() {
    presenceTimer?.cancel()
    presenceTimer = nil
    endEvents()
    uncrop()
    device = nil
  }

  func formats() throws(CaptureError) -> [FormatDescription] {
    try withDevice("listing formats") { (device) throws(Errno) in try device.formatList(type) }
  }

  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) throws(CaptureError) -> IntervalOptions {
    try withDevice("listing frame intervals") { (device) throws(Errno) in
      try device.intervalList(for: pixelFormat, at: size)
    }
  }

  func controls() throws(CaptureError) -> [ControlDescription] {
    try CaptureError.checkCancellation()
    return try withDevice("listing controls") { (device) throws(Errno) in try device.controlList() }
  }

  private func checkPresence() {
    _ = try? withDevice("looking at it") { (device) throws(Errno) in try device.capability() }
  }

  /// Runs `body` on the device. ENODEV is the camera's end.
  func withDevice<R>(
    _ what: String, _ body: (borrowing VideoDevice) throws(Errno) -> R
  ) throws(CaptureError) -> R {
    do throws(Errno) {
      switch device {
      case .some(let device): return try body(device)
      case .none: throw .noDevice
      }
    } catch {
      if error == .noDevice { unplugged() }
      throw DeviceFailure(path: path)(error, what)
    }
  }
}
