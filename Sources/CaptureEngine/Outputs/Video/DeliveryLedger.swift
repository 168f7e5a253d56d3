import CaptureModel

/// Accounts for every frame of a subscription: what lies between two delivered messages is the difference of two marks, wherever on
/// the way frames were dropped.
struct DeliveryLedger {
  /// A message's place among the subscription's offers and the stream's frames.
  struct Mark: Hashable, Sendable {
    /// Among the offers, from 1.
    var offer: UInt64 = 0
    /// Frames of the stream up to this message.
    var frames: UInt64 = 0
    /// Those of them that the rate left out.
    var thinned: UInt64 = 0
    /// Discontinuities up to this message.
    var epoch: UInt64 = 0
  }

  private var offered: Mark
  /// The last message known to have been delivered whole.
  private var delivered: Mark
  /// The last one sent, with what it said; whether it arrived shows when the next is sent.
  private var sent: (mark: Mark, discarded: UInt64)?
  private var discardedBefore: UInt64 = 0

  /// Starts at a stream's position: nothing before it counts.
  init(frames: UInt64, epoch: UInt64) {
    offered = Mark(frames: frames, epoch: epoch)
    delivered = offered
  }

  /// Frames reported as discarded so far.
  var discarded: UInt64 { discardedBefore + (sent?.discarded ?? 0) }

  mutating func offerPicture(_ ordinal: UInt64, thinned: UInt64, epoch: UInt64) -> Mark {
    offered = Mark(offer: offered.offer + 1, frames: ordinal, thinned: thinned, epoch: epoch)
    return offered
  }

  /// An announcement stands right behind the picture before it.
  mutating func offerAnnouncement() -> Mark {
    offered.offer += 1
    return offered
  }

  /// Counts what lies between the last delivered message and `mark`, which is about to be sent after `replaced` offers that were not
  /// delivered.
  mutating func sending(_ mark: Mark, isPicture: Bool, replacing replaced: UInt64) -> (
    discarded: UInt64, thinned: UInt64, hasDiscontinuity: Bool
  ) {
    if let sent, sent.mark.offer + replaced < mark.offer {
      delivered = sent.mark
      discardedBefore += sent.discarded
    }
    let missing = mark.frames - delivered.frames - (isPicture ? 1 : 0)
    let thinned = min(mark.thinned - delivered.thinned, missing)
    sent = (mark, missing - thinned)
    return (missing - thinned, thinned, mark.epoch != delivered.epoch)
  }
}
