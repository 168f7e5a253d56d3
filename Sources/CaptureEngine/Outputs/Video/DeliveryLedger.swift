import CaptureModel

/// Counts every frame of a subscription. Each message has a mark: how many frames there were up to it. The difference between the marks of two
/// delivered messages is the number of frames that came between them, including frames that were dropped, wherever that was.
struct DeliveryLedger {
  /// The place of a message among the subscription's offers and the stream's frames.
  struct Mark: Hashable, Sendable {
    /// The message's number among the offers, from 1.
    var offer: UInt64 = 0
    /// How many frames the stream has had up to this message.
    var frames: UInt64 = 0
    /// How many of the stream's frames up to this message were left out for the rate.
    var thinned: UInt64 = 0
    /// How many discontinuities there were up to this message.
    var epoch: UInt64 = 0
    /// How many announcements there were up to this message.
    var announcements: UInt64 = 0
  }

  /// What lies between the last message that was delivered and one that is about to be sent.
  struct Gap {
    /// How many frames were left out.
    var discarded: UInt64
    /// How many frames were left out for the rate.
    var thinned: UInt64
    var hasDiscontinuity: Bool
    /// Whether the message is a picture behind an announcement that was not delivered.
    var hasAnnouncement: Bool
    /// Whether the message is a picture and none was delivered before.
    var isFirst: Bool
  }

  private var offered: Mark
  /// The mark of the last message that is known to have been delivered completely.
  private var delivered: Mark
  /// Whether a picture is known to have been delivered completely.
  private var hasDeliveredPicture = false
  /// The mark of the last message that was sent, and how many discarded frames it reported. The next send shows whether the message arrived.
  private var sent: (mark: Mark, isPicture: Bool, discarded: UInt64)?
  private var discardedBefore: UInt64 = 0

  /// Starts at a stream's position: frames before it do not count.
  init(frames: UInt64, epoch: UInt64) {
    offered = Mark(frames: frames, epoch: epoch)
    delivered = offered
  }

  /// How many frames were reported as discarded so far.
  var discarded: UInt64 { discardedBefore + (sent?.discarded ?? 0) }

  mutating func offerPicture(_ ordinal: UInt64, thinned: UInt64, epoch: UInt64) -> Mark {
    offered = Mark(
      offer: offered.offer + 1, frames: ordinal, thinned: thinned, epoch: epoch,
      announcements: offered.announcements)
    return offered
  }

  /// Offers an announcement. Its place is right behind the picture before it.
  mutating func offerAnnouncement() -> Mark {
    offered.offer += 1
    offered.announcements += 1
    return offered
  }

  /// Returns what lies between the last delivered message and the message with `mark`, which is about to be sent. `replaced`: how many offers just
  /// before `mark` were not delivered. If the message that was sent last is not one of them, it has been delivered.
  mutating func sending(_ mark: Mark, isPicture: Bool, replacing replaced: UInt64) -> Gap {
    if let sent, sent.mark.offer + replaced < mark.offer {
      delivered = sent.mark
      discardedBefore += sent.discarded
      if sent.isPicture { hasDeliveredPicture = true }
    }
    let missing = mark.frames - delivered.frames - (isPicture ? 1 : 0)
    let thinned = min(mark.thinned - delivered.thinned, missing)
    sent = (mark, isPicture, missing - thinned)
    return Gap(
      discarded: missing - thinned, thinned: thinned, hasDiscontinuity: mark.epoch != delivered.epoch,
      hasAnnouncement: isPicture && mark.announcements != delivered.announcements,
      isFirst: isPicture && !hasDeliveredPicture)
  }
}
