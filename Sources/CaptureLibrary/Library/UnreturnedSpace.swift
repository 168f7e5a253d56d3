/// What removing files has given back.
struct ReturnedSpace: Sendable {
  /// The bytes of the files that were removed.
  var removed: Int64
  /// The bytes that were free before and are free since.
  var before: Int64
  var free: Int64

  /// By how much more is free than before; less than 0 where others have written meanwhile.
  var freed: Int64 { free - before }

  /// Whether removing has made room. A part of the files' bytes is enough: a file system may compress them, and others write meanwhile.
  var isReturned: Bool { freed >= removed / 4 }
}

/// What was removed to make room on the disk and has not become free, as where snapshots, hard links or readers hold the files. More than a little of
/// that keeps the library from removing more, until space has become free. Now and then one more attempt is permitted.
struct UnreturnedSpace {
  /// The bytes that are removed although nothing becomes free.
  static let tolerated: Int64 = 16_000_000
  /// The times between two attempts, in nanoseconds: the first one, which doubles with each attempt, and the last.
  private static let pauses: ClosedRange<UInt64> = 60_000_000_000...86_400_000_000_000

  private(set) var bytes: Int64 = 0
  /// The bytes that were free after the last removal.
  private var free: Int64 = 0
  private var pause: UInt64 = 0
  /// When the next attempt may be made, in `CLOCK_MONOTONIC` nanoseconds.
  private var nextAttempt: UInt64 = 0

  /// Notes the bytes that are free. Whoever measures them tells it, also while there is room: space that has become free may soon be used again.
  mutating func noteFree(_ free: Int64) {
    if bytes > 0, free - self.free >= bytes / 4 { self = UnreturnedSpace() }
  }

  /// Whether more is not to be removed now, since what was removed has not become free.
  func forbidsRemoval(at now: UInt64) -> Bool { bytes >= Self.tolerated && now < nextAttempt }

  /// Notes what a removal has given back.
  mutating func note(_ space: ReturnedSpace, at now: UInt64) {
    guard space.removed > 0 else { return }
    guard !space.isReturned else {
      self = UnreturnedSpace()
      return
    }
    bytes += space.removed - max(0, space.freed)
    free = space.free
    guard bytes >= Self.tolerated else { return }
    pause = min(max(pause * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
    nextAttempt = now + pause
  }
}
