import CaptureSystem

/// A camera that a backend drives. One object lives from the camera's appearance until it is unplugged. A camera that is plugged in again is a new
/// object with the same ``CameraDescription/id``.
///
/// Calls that may block in the driver (`VIDIOC_S_FMT`, a control transfer of seconds) run on the camera's own control thread; frames come on its
/// capture thread. Failures: `unavailable` when the camera is unplugged, `invalidArgument` for what it does not offer (the message says what it does
/// offer), `failedPrecondition` when something is busy, inactive or read-only.
package protocol Camera: AnyObject, Sendable {
  var description: CameraDescription { get }
  /// The size that the camera was set up for, for requests that leave the size open; `nil`: it has no preference.
  var preferredSize: FrameSize? { get }

  /// Every pixel format with its sizes and intervals.
  func formats() async throws(CaptureError) -> [FormatDescription]
  /// The intervals at one size. Callers need this for sizes inside a stepwise range.
  func intervals(for pixelFormat: PixelFormat, at size: FrameSize) async throws(CaptureError)
    -> IntervalOptions

  /// Every control as it is now, without those that the driver fails to describe. Flags and ranges change with modes.
  func controls() async throws(CaptureError) -> [ControlDescription]
  /// Says of each control that the latest list lacks, because the driver fails to describe it, why. Any thread may ask; the getter must not block.
  var controlFailures: [String] { get }
  /// The current values, in the order of `ids`. Write-only controls and buttons have none: `failedPrecondition`.
  func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue]
  /// Sets the controls in order. At the first failure it sets back the controls that it had set, and throws. The error contains the controls that
  /// could not be set back (``CaptureError/unrestored``), and names those whose former values are unknown. The caller has checked the ranges.
  ///
  /// No control is set near the moment at which one frame ends and the next begins: the call waits for a better moment as long as `pacing` says, at
  /// most a few milliseconds. If `pacing` is `nil`, it does not wait. The result says, for each assignment, when the driver got it. From that the
  /// caller finds the first frame that has the assignment.
  ///
  /// The call runs on the caller's executor: a hop to another thread costs as much as a synthetic camera needs for the whole call.
  func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  /// The part of the sensor from which the picture is made; `nil` where the driver offers no choice. V4L2: `VIDIOC_G_SELECTION`.
  func crop() async throws(CaptureError) -> SensorCrop?
  /// Makes the picture from another part of the sensor, in the same size, also while it streams. Returns what the driver made of it, and when the
  /// driver got it. Throws `failedPrecondition` where the driver cannot do it, or would change the picture's size; then the crop stays as it was. V4L2:
  /// `VIDIOC_S_SELECTION`.
  func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  /// Reports changes of controls that the camera or another program makes, until the camera goes away. There is at most one observer; `nil` removes it.
  func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async

  /// Every input; the one in use has its status and signal. Empty: the camera has no choice of inputs. V4L2: `VIDIOC_ENUMINPUT`.
  func inputs() async throws(CaptureError) -> [CameraInput]
  /// The input in use, as it is now; `nil`: the camera has no input that could change.
  func selectedInput() async throws(CaptureError) -> CameraInput?
  /// Takes the picture from another input. That changes the formats. Throws `failedPrecondition` while it streams. V4L2: `VIDIOC_S_INPUT`.
  func selectInput(_ index: Int) async throws(CaptureError)
  /// Sets the camera to the signal that is at the input, which a capture card does not do by itself. That changes the formats. Returns whether the
  /// camera was set to another signal before. Without a signal nothing changes. Throws `failedPrecondition` while it streams. V4L2:
  /// `VIDIOC_S_DV_TIMINGS`, `VIDIOC_S_STD`.
  func adoptSignal() async throws(CaptureError) -> Bool
  /// Sets the EDID that the camera's inputs present to the devices at them, in blocks of 128 bytes. An input that has it already is left alone: a written
  /// EDID makes the device at the input negotiate anew. V4L2: `VIDIOC_S_EDID`.
  func setEDID(_ edid: [UInt8]) async throws(CaptureError)
  /// Reports changes of the input in use, until the camera goes away. There is at most one observer; `nil` removes it.
  func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async

  /// Configures the camera and starts its stream. Returns once the driver streams, with the format that it really has. `receiver` gets frames and
  /// events on the capture thread until ``stopStreaming()`` returns or the receiver got `ended`.
  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  /// Stops the stream. The driver has all its buffers back, or frees them once their readers let go. The receiver is not called after this returns.
  func stopStreaming() async

  /// Counts since the camera appeared.
  var counters: CameraCounters { get }

  /// Whether calls go to a driver, which may hold them for any time.
  var hasDriver: Bool { get }
  /// Since when the driver has not answered, in `CLOCK_MONOTONIC` nanoseconds: the start of the oldest system call that has not returned. `nil`:
  /// every call has returned. Any thread may ask; the getter must not block.
  var unansweredSince: UInt64? { get }
}

extension Camera {
  package var hasDriver: Bool { false }
  package var unansweredSince: UInt64? { nil }

  package var preferredSize: FrameSize? { nil }
  package var controlFailures: [String] { [] }

  // Defaults for cameras without inputs, such as synthetic ones.

  package func inputs() async throws(CaptureError) -> [CameraInput] { [] }

  package func selectedInput() async throws(CaptureError) -> CameraInput? { nil }

  package func selectInput(_ index: Int) async throws(CaptureError) {
    throw CaptureError(
      .failedPrecondition, "'\(description.id)' has no inputs to choose from",
      .init(.notSupported, field: "input"))
  }

  package func adoptSignal() async throws(CaptureError) -> Bool { false }

  package func setEDID(_ edid: [UInt8]) async throws(CaptureError) {
    throw CaptureError(
      .failedPrecondition, "'\(description.id)' has no input that takes an EDID", .init(.notSupported))
  }

  package func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async {}

  /// Sets the controls as ``set(_:pacing:)`` does, at once.
  package func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    _ = try await set(assignments, pacing: nil)
  }

  package func crop() async throws(CaptureError) -> SensorCrop? { nil }

  package func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    throw CaptureError(
      .failedPrecondition, "'\(description.id)' has no choice of the sensor's part", .init(.notSupported))
  }
}

/// Takes a camera's frames. The camera calls it on the capture thread: it must not block.
package protocol FrameReceiver: AnyObject, Sendable {
  /// Whether anybody would take this frame. Backends that make frames on demand ask before they make one.
  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool
  func received(_ frame: Frame)
  func streamEvent(_ event: StreamEvent)
}

/// What can happen to a stream, apart from frames.
public enum StreamEvent: Sendable {
  /// No frames come now. The backend restarts the stream until some come; then a frame with `.resumed` follows.
  case interrupted(reason: String)
  /// The stream ended by itself: the camera was unplugged (`unavailable`), or a restart did not mend a failure.
  case ended(CaptureError)
  /// The driver has fewer than two buffers queued. Readers that are in the middle of a buffer copy the rest and let go of it.
  case buffersLow
}

/// A control that changed (`V4L2_EVENT_CTRL`).
public struct ControlChange: Hashable, Sendable {
  public var id: ControlID
  /// `nil` where the event carries no value (strings, compounds), or where only flags or ranges changed.
  public var value: ControlValue?
  public var flags: ControlFlags
  /// When it changed, in `CLOCK_MONOTONIC` nanoseconds; `nil`: not known, so the time at which the node heard of the change counts.
  public var time: UInt64?

  public init(id: ControlID, value: ControlValue?, flags: ControlFlags, time: UInt64? = nil) {
    self.id = id
    self.value = value
    self.flags = flags
    self.time = time
  }
}

/// The input in use has changed.
public struct InputChange: Hashable, Sendable {
  /// The input as it is now; `nil` where the driver could not be asked.
  public var input: CameraInput?
  /// Whether the source changed: the driver reported it (`V4L2_EVENT_SOURCE_CHANGE`), or has no such event and finds another signal than before.
  /// `false`: the node noticed that another program has changed the camera's setting.
  public var isOfSource: Bool

  public init(_ input: CameraInput?, isOfSource: Bool) { (self.input, self.isOfSource) = (input, isOfSource) }
}

/// The counters of a backend.
public struct CameraCounters: Hashable, Sendable {
  /// Frames delivered to the receiver.
  public var frames: UInt64 = 0
  /// Frames that the driver delivered with its error flag (`V4L2_BUF_FLAG_ERROR`), and that were dropped.
  public var flagged: UInt64 = 0
  /// Frames that are missing in the driver's numbering.
  public var lost: UInt64 = 0
  public var restarts: UInt64 = 0
  /// The driver's buffers now.
  public var buffers: Int = 0
  /// How many of the driver's buffers readers hold.
  public var buffersLent: Int = 0

  public init() {}
}
