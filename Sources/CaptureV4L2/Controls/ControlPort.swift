import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc
import Synchronization

/// A camera's second descriptor, for formats, controls, inputs and events. It lives on the control thread, where a transfer to a slow camera may take
/// seconds.
actor ControlPort {
  nonisolated let thread: DeviceThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.serial.asUnownedSerialExecutor() }

  let path: String
  let type: BufferType
  private let memory: BufferMemory
  /// The size to which the driver was set when the camera appeared, or by the latest change of its source.
  private var currentSize: FrameSize?
  /// `nil` once the camera is unplugged.
  private var device: VideoDevice?
  var observer: (@Sendable (ControlChange) -> Void)?
  /// The controls that the driver was asked to send events for.
  var observedControls: Set<ControlID> = []
  /// Says of each control that the latest list lacks, because the driver fails to describe it, why.
  nonisolated let controlFailures = Mutex<[String]>([])
  var inputObserver: (@Sendable (InputChange) -> Void)?
  /// The input in use as it was last seen. While inputs are observed, `nil` means that the camera has none that could change.
  var knownInput: CameraInput?
  /// The numbers of the inputs for which the driver sends an event when the source changes.
  var inputsWithEvents: Set<Int> = []
  /// The signal that was last found at an input that is not in ``inputsWithEvents``; `nil`: none yet.
  var lastFound: InputSignal?
  /// From when on ``lookAtInput(at:)`` may measure the signal at an input that is not in ``inputsWithEvents``, in `CLOCK_MONOTONIC` nanoseconds: a
  /// measurement takes some cards a while.
  var measuresFrom: UInt64 = 0
  /// Whether events are subscribed to and watched.
  var hasEvents = false
  /// Whether this port has selected less than the whole sensor.
  var isCropped = false
  private var presenceTimer: LoopTimer?
  private let end: CameraEnd

  /// How often an idle camera is checked for its presence, in nanoseconds: vivid does not announce its end.
  private static let presenceInterval: UInt64 = 1_000_000_000

  /// `device` was opened on `thread`. `end` is reached when the camera turns out to be unplugged.
  init(
    _ device: consuming VideoDevice, path: String, type: BufferType, memory: BufferMemory = .standard,
    on thread: DeviceThread, end: CameraEnd
  ) {
    // This comes before the backend's first `VIDIOC_S_FMT`: if a driver has a range of sizes, the size to which it was set at first is the meaningful
    // one.
    currentSize = try? device.currentSize(type, within: memory)
    self.memory = memory
    self.device = consume device
    self.path = path
    self.type = type
    self.thread = thread
    self.end = end
  }

  /// Starts to watch for the camera's end.
  func open() {
    guard device != nil, presenceTimer == nil else { return }
    presenceTimer = thread.timer { [weak self] in self?.assumeIsolated { $0.checkPresence() } }
    presenceTimer?.arm(MonotonicClock.now() + Self.presenceInterval)
  }

  /// Closes the descriptor: as long as it is open, the kernel keeps the node's number in use.
  func close() {
    presenceTimer = nil
    (observer, inputObserver) = (nil, nil)
    endEvents()
    resetCrop()
    device = nil
  }

  func formats() throws(CaptureError) -> [FormatDescription] {
    try withDevice("listing formats") { (device) throws(Errno) in
      try device.formatList(type, current: currentSize)
    }
  }

  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) throws(CaptureError) -> IntervalOptions {
    try withDevice("listing frame intervals") { (device) throws(Errno) in
      try device.intervalList(for: pixelFormat, at: size)
    }
  }

  func controls() throws(CaptureError) -> [ControlDescription] {
    try CaptureError.checkCancellation()
    let list = try withDevice("listing controls") { (device) throws(Errno) in try device.controlList() }
    controlFailures.withLock { $0 = list.failures }
    // What the driver failed to describe when it was asked for events, and describes now, has none yet.
    if observer != nil, !list.controls.allSatisfy({ observedControls.contains($0.id) }) { subscribe() }
    return list.controls
  }

  /// Reads the current size again, since another input or signal has changed the driver's format.
  func sourceChanged() {
    currentSize = try? withDevice("asking for the format") { (device) throws(Errno) in
      try device.currentSize(type, within: memory)
    }
  }

  private func checkPresence() {
    _ = try? withDevice("looking at it") { (device) throws(Errno) in try device.capability() }
    if hasEvents { thread.pauseWatch(false) }
    lookAtInput()
    presenceTimer?.arm(MonotonicClock.now() + Self.presenceInterval)
  }

  /// Runs `body` on the device. ENODEV means that the camera has gone.
  func withDevice<R>(
    _ what: String, _ body: (borrowing VideoDevice) throws(Errno) -> R
  ) throws(CaptureError) -> R {
    do throws(Errno) {
      switch device {
      case .some(let device): return try body(device)
      case .none: throw .noDevice
      }
    } catch {
      if error == .noDevice { end.reach() }
      throw DeviceFailure(path: path)(error, what)
    }
  }
}
