import CaptureLoop
import CaptureModel
import CaptureSystem

/// The receiver of a subscription's messages: a call on a connection, of which the engine knows nothing, or a test.
public protocol FrameSink: AnyObject, Sendable {
  /// The serial queue on which ``offer(_:)`` and ``releaseBuffers()`` are called. Sinks of one connection share theirs.
  var loop: QueueExecutor { get }
  /// How many messages could be sent now, one after the other; 0 while one waits. Any thread may read it.
  var room: Int { get }
  /// Offers a message without waiting. A newer message replaces an older one that waits.
  func offer(_ message: VideoMessage)
  /// Releases the pictures, because the camera is short of buffers.
  func releaseBuffers()
}

/// A message of a subscription: a picture, or an announcement without one.
public struct VideoMessage: Sendable {
  public enum Content: Sendable {
    case picture(Picture)
    /// The camera gives no frames now. The reason is for a person. `isUnplugged`: frames go on when the camera is back.
    case interrupted(reason: String, isUnplugged: Bool)
  }

  public let content: Content
  let subscription: FrameSubscription
  let mark: DeliveryLedger.Mark

  /// Returns what the subscriber has missed before this message. Call this when the message is about to be sent, in the order of sending. `replaced`:
  /// how many offers of this subscription the sink has replaced or aborted since the last one that it delivered completely.
  public func gap(replacing replaced: UInt64) -> FrameGap {
    if case .picture(let picture) = content {
      return subscription.sending(mark, picture, replacing: replaced)
    }
    return subscription.sending(mark, nil, replacing: replaced)
  }

  /// How often the camera came, or came back, and got the settings that the node had kept of it.
  public var restorations: UInt32 { subscription.restorations }
}

/// What lies between the last message that was delivered completely and one that is about to be sent. What a message told that did not arrive is in the
/// gap of the next one again. Together with the frames that the driver lost, the frames that were left out explain the gap in the camera's numbering.
public struct FrameGap: Hashable, Sendable {
  /// Frames that newer ones replaced, because the client, its link or the encoder was too slow.
  public var discarded: UInt64 = 0
  /// Frames that were left out for a lower requested rate.
  public var thinned: UInt64 = 0
  /// The discontinuity between the messages; `nil`: there was none.
  public var discontinuity: StreamDiscontinuity?
  /// Before a picture: the reason of the latest announcement that the subscriber has not got; `nil`: it has got them all.
  public var interruption: String?
  /// Whether the message is a picture and the subscriber has got none before.
  public var isFirst = false

  /// Whether there is nothing to tell.
  public var isEmpty: Bool { self == FrameGap() }
}
