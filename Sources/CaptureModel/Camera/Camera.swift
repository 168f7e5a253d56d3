import CaptureSystem

/// A camera that a backend drives. One object lives from the camera's appearance to its unplugging; a replug makes a new one
/// under the same ``CameraDescription/id``.
///
/// Calls that may block in the driver (`VIDIOC_S_FMT`, a control transfer of seconds) run on the camera's own control thread;
/// frames come on its capture thread. Failures: `unavailable` when unplugged, `invalidArgument` for what the camera does not
/// offer (naming what it does), `failedPrecondition` for busy, inactive or read-only.
public protocol Camera: AnyObject, Sendable {
  var description: CameraDescription { get }
  /// The size that the camera was set up for, where the request leaves it open; `nil`: none in particular.
  var preferredSize: FrameSize? { get }

  /// Every pixel format with its sizes and intervals.
  func formats() async throws(CaptureError) -> [FormatDescription]
  /// Intervals at one size; needed for sizes inside a stepwise range.
  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions

  /// Every control as it is now: flags and ranges change with modes.
  func controls() async throws(CaptureError) -> [ControlDescription]
  /// Current values, in the order asked. Write-only controls and buttons have none: `failedPrecondition`.
  nonisolated(nonsending) func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue]
  /// Sets in order; at the first failure sets back what it had set, and throws. The caller has checked ranges.
  func set(_ assignments: [ControlAssignment]) async throws(CaptureError)
  /// As ``set(_:)``, away from where one frame ends and the next begins: waits for that for as long as `pacing` says, at most a few
  /// milliseconds. Returns, per assignment, when the driver was given it: for telling which frame has it first.
  ///
  /// Called by whoever changes settings, and run where he runs: a hop to another thread costs as much as a camera in software needs for it.
  nonisolated(nonsending) func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  /// The part of the sensor that the picture is made of; `nil` where the driver has no such choice. V4L2: `VIDIOC_G_SELECTION`.
  func crop() async throws(CaptureError) -> SensorCrop?
  /// Makes the picture of another part of the sensor, at the size that it has, also while it streams. Returns what the driver made of it, and
  /// when it was told. Throws `failedPrecondition` where the driver cannot, or would change the picture's size; it is then as it was.
  /// V4L2: `VIDIOC_S_SELECTION`.
  func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  /// Changes of controls that the camera or another program makes, until the camera goes. At most one observer; `nil` ends it.
  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async

  /// Every input, the one in use with its status and signal. Empty: the camera has none to choose from. V4L2: `VIDIOC_ENUMINPUT`.
  func inputs() async throws(CaptureError) -> [CameraInput]
  /// The input in use, as it is now; `nil`: it has none that could change.
  func selectedInput() async throws(CaptureError) -> CameraInput?
  /// Takes the picture from another input, which changes formats. Throws `failedPrecondition` while it streams. V4L2: `VIDIOC_S_INPUT`.
  func selectInput(_ index: Int) async throws(CaptureError)
  /// Sets itself to the signal that is at the input, which changes formats, as capture cards need to be told. Returns whether it was set to another one
  /// before; where there is no signal nothing changes. Throws `failedPrecondition` while it streams. V4L2: `VIDIOC_S_DV_TIMINGS`, `VIDIOC_S_STD`.
  func adoptSignal() async throws(CaptureError) -> Bool
  /// What inputs that take one tell sources about themselves, in blocks of 128 bytes. V4L2: `VIDIOC_S_EDID`.
  func setEDID(_ edid: [UInt8]) async throws(CaptureError)
  /// Changes of the input in use, until the camera goes. At most one observer; `nil` ends it.
  func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async

  /// Configures and starts. Returns once the driver streams, with the format it really has.
  /// Frames and events go to `receiver` on the capture queue until ``stopStreaming()`` returns or the receiver was told `ended`.
  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  /// Stops. All of the driver's buffers are back with it or freed once their readers let go. No call to the receiver after it returns.
  func stopStreaming() async

  /// Counters since the camera appeared.
  var counters: CameraCounters { get }

  /// A driver may hold its calls, for as long as it likes.
  var hasDriver: Bool { get }
  /// Since when its driver owes an answer, `CLOCK_MONOTONIC` nanoseconds: the beginning of the system call that took the longest of those that are not
  /// back. `nil`: none. Asked from any thread; must not block.
  var owedSince: UInt64? { get }
}

extension Camera {
  public var hasDriver: Bool { false }
  public var owedSince: UInt64? { nil }

  public var preferredSize: FrameSize? { nil }

  // Of cameras without inputs, as those are that are made of arithmetic.

  public func inputs() async throws(CaptureError) -> [CameraInput] { [] }

  public func selectedInput() async throws(CaptureError) -> CameraInput? { nil }

  public func selectInput(_ index: Int) async throws(CaptureError) {
    throw CaptureError(.failedPrecondition, "'\(description.id)' has no inputs to choose from")
  }

  public func adoptSignal() async throws(CaptureError) -> Bool { false }

  public func setEDID(_ edid: [UInt8]) async throws(CaptureError) {
    throw CaptureError(.failedPrecondition, "'\(description.id)' has no input that takes an EDID")
  }

  public func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async {}

  public func crop() async throws(CaptureError) -> SensorCrop? { nil }

  public func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    throw CaptureError(.failedPrecondition, "'\(description.id)' has no choice of the sensor's part")
  }
}

/// Takes a camera's frames. Called on the capture queue: must not block.
public protocol FrameReceiver: AnyObject, Sendable {
  /// Asked by backends that make frames on demand, before the work. `false`: nobody would take this frame.
  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool
  func received(_ frame: Frame)
  func streamEvent(_ event: StreamEvent)
}

/// What happens to a stream beside frames.
public enum StreamEvent: Sendable {
  /// No frames now; the backend restarts the stream until it gives some. Then a frame with `.resumed` follows.
  case interrupted(reason: String)
  /// Over, by itself: unplugged (`unavailable`), or a failure that restarting did not mend.
  case ended(CaptureError)
  /// The driver has fewer than two buffers queued: readers in the middle of one copy their bit and let go.
  case buffersLow
}

/// A control that changed (`V4L2_EVENT_CTRL`).
public struct ControlChange: Hashable, Sendable {
  public var id: ControlID
  /// `nil` where the event carries none (strings, compounds) or only flags or ranges changed.
  public var value: ControlValue?
  public var flags: ControlFlags
  /// When it did, `CLOCK_MONOTONIC` nanoseconds; `nil`: when it is heard.
  public var time: UInt64?

  public init(id: ControlID, value: ControlValue?, flags: ControlFlags, time: UInt64? = nil) {
    self.id = id
    self.value = value
    self.flags = flags
    self.time = time
  }
}

/// The input in use is otherwise than before.
public struct InputChange: Hashable, Sendable {
  /// As it is now; `nil` where it could not be asked.
  public var input: CameraInput?
  /// The driver says that the source has changed (`V4L2_EVENT_SOURCE_CHANGE`). Else a look at it told: another program has chosen what it is set to.
  public var isOfSource: Bool

  public init(_ input: CameraInput?, isOfSource: Bool) { (self.input, self.isOfSource) = (input, isOfSource) }
}

/// What a backend counts.
public struct CameraCounters: Hashable, Sendable {
  /// Frames delivered to the receiver.
  public var frames: UInt64 = 0
  /// Delivered by the driver with its error flag (`V4L2_BUF_FLAG_ERROR`) and dropped.
  public var flagged: UInt64 = 0
  /// Gaps in the driver's numbering.
  public var lost: UInt64 = 0
  public var restarts: UInt64 = 0
  /// Buffers of the driver now, and those of them that readers hold.
  public var buffers: Int = 0
  public var buffersLent: Int = 0

  public init() {}
}
