import CaptureSystem

/// A camera that a backend drives. One object lives from the camera's appearance to its unplugging; a replug makes a new one
/// under the same ``CameraDescription/id``.
///
/// Calls that may block in the driver (`VIDIOC_S_FMT`, a control transfer of seconds) run on the camera's own control queue;
/// frames come on its capture queue. Failures: `unavailable` when unplugged, `invalidArgument` for what the camera does not
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

  /// Configures and starts. Returns once the driver streams, with the format it really has.
  /// Frames and events go to `receiver` on the capture queue until ``stopStreaming()`` returns or the receiver was told `ended`.
  func startStreaming(_ request: StreamRequest, into receiver: any FrameReceiver) async throws(CaptureError)
    -> StreamFormat
  /// Stops. All of the driver's buffers are back with it or freed once their readers let go. No call to the receiver after it returns.
  func stopStreaming() async

  /// Counters since the camera appeared.
  var counters: CameraCounters { get }
}

extension Camera {
  public var preferredSize: FrameSize? { nil }

  public func crop() async throws(CaptureError) -> SensorCrop? { nil }

  public func setCrop(_ area: PixelArea, pacing: FramePacing?) async throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    throw CaptureError(.failedPrecondition, "'\(description.id)' has no choice of the sensor's part")
  }

  /// From outside of the backend: less exact than what it could say itself.
  public nonisolated(nonsending) func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    let wait = pacing?.wait(at: MonotonicClock.now()) ?? 0
    if wait > 0 { try? await Task.sleep(nanoseconds: wait) }
    let began = MonotonicClock.now()
    try await set(assignments)
    let moment = ControlMoment(began: began, ended: MonotonicClock.now())
    return Array(repeating: moment, count: assignments.count)
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
