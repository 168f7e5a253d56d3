/// The frames that were taken for a subscriber and that it has not got yet, oldest first, and how many frames had been thinned before each.
///
/// The rendition's slot names the frames that it drops (``forget(_:)``). Those that a route drops are older than all that still wait: they go with the
/// next picture that arrives, or to make room. So there are at most as many as can be on the way at once, however slow the encoder is.
struct FramesOnTheWay {
  private var frames: [(ordinal: UInt64, thinned: UInt64)] = []
  /// Three in the rendition's slot and five on the route: those that wait, and the one that is worked on.
  private static let maximum = 8

  init() { frames.reserveCapacity(Self.maximum) }

  mutating func add(_ ordinal: UInt64, thinned: UInt64) {
    if frames.count == Self.maximum { frames.removeFirst() }
    frames.append((ordinal, thinned))
  }

  /// Forgets frames of which no picture comes.
  mutating func forget(_ ordinals: [UInt64]) {
    frames.removeAll { ordinals.contains($0.ordinal) }
  }

  /// Returns how many frames had been thinned before the frame, and forgets it and those before it, since pictures come in order. `nil`: the frame was
  /// not taken for this subscriber.
  mutating func arrived(_ ordinal: UInt64) -> UInt64? {
    guard let index = frames.firstIndex(where: { $0.ordinal == ordinal }) else { return nil }
    defer { frames.removeFirst(index + 1) }
    return frames[index].thinned
  }

  mutating func removeAll() { frames.removeAll(keepingCapacity: true) }
}
