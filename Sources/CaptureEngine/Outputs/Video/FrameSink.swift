import CaptureModel
import CaptureSystem

/// Where a subscription's messages go: a call on a connection, or a test.
public protocol FrameSink: AnyObject, Sendable {
  /// The serial queue that ``offer(_:)`` and ``relinquish()`` are called on. Sinks of one connection share theirs.
  var loop: QueueExecutor { get }
  /// Messages that could go out now, one after the other; 0 while one waits. Read from any thread.
  var room: Int { get }
  /// Takes a message without waiting; the newest wins.
  func offer(_ message: VideoMessage)
  /// The camera is short of buffers: let go of the pictures.
  func relinquish()
}

/// One message of a subscription: a picture, or an announcement without one.
public struct VideoMessage: Sendable {
  public enum Content: Sendable {
    case picture(Picture)
    /// The camera gives no frames now; why, for a person.
    case interrupted(reason: String)
  }

  public let content: Content
  let subscription: FrameSubscription
  let mark: DeliveryLedger.Mark

  /// What went before this message. To be asked when the message is about to be sent, in the order of sending, with the number of
  /// offers of this subscription that the sink replaced, or gave up in the middle, since the last one that it delivered whole.
  public func gap(replacing replaced: UInt64) -> FrameGap {
    if case .picture(let picture) = content {
      return subscription.sending(mark, picture, replacing: replaced)
    }
    return subscription.sending(mark, nil, replacing: replaced)
  }
}

/// The frames that were left out between two delivered messages. Together with those the driver lost they make up the gap in the
/// camera's numbering.
public struct FrameGap: Hashable, Sendable {
  /// Replaced by newer ones: the client, its link or the encoder was too slow.
  public var discarded: UInt64 = 0
  /// Not taken because a lower rate was asked for.
  public var thinned: UInt64 = 0
  /// What lies between, if not just that.
  public var discontinuity: StreamDiscontinuity?

  /// Nothing was left out.
  public var isEmpty: Bool { discarded == 0 && thinned == 0 && discontinuity == nil }
}
