/// The stream of one camera.
public struct CameraStatus: Hashable, Sendable {
  /// The camera's index: ``CameraInfo/index``.
  public var index: Int
  /// The camera's identity.
  public var id: CameraID
  /// Whether its driver gives frames now.
  public var isStreaming = false
  /// The stream's format, or the last one's; `nil`: there was none.
  public var pixelFormat: PixelFormat?
  /// The stream's size, or the last one's; `nil`: there was none.
  public var size: FrameSize?
  /// The interval that the driver reports.
  public var interval: FrameInterval?
  /// Frames a second, over the last seconds; 0 when it does not stream.
  public var measuredRate: Double = 0
  /// How many clients get its frames.
  public var subscribers = 0
  /// Frames that were taken from the driver. This count and those below are since the node's start.
  public var frames: UInt64 = 0
  /// Frames with the driver's error flag, which were dropped.
  public var framesFlagged: UInt64 = 0
  /// Frames that are missing in the driver's numbering.
  public var framesLost: UInt64 = 0
  /// Frames that newer ones replaced in subscriptions.
  public var framesDiscarded: UInt64 = 0
  /// Frames that the node encoded.
  public var framesEncoded: UInt64 = 0
  /// Truncated or corrupt frames, which were dropped.
  public var framesCorrupt: UInt64 = 0
  /// Time spent encoding.
  public var encodingTime: Duration = .zero
  /// Restarts of the stream, after a stall or an error.
  public var restarts: UInt64 = 0
  /// Buffers of the driver.
  public var buffers = 0
  /// Buffers that readers hold now.
  public var buffersLent = 0
  /// The latest error, for a person; `nil`: there was none.
  public var lastError: String?
  /// The time since ``lastError``; `nil`: it is not known.
  public var lastErrorAge: Duration?
  /// How its driver answers.
  public var response: Responsiveness = .responding
  /// The input in use; `nil` for a camera that has no input that could change.
  public var input: CameraInput?

  public init(index: Int, id: CameraID) { (self.index, self.id) = (index, id) }
}
