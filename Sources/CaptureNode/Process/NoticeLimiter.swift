import Synchronization

/// Lets one notice of a kind through a second: what goes wrong a thousand times a second must not flood a log.
public final class NoticeLimiter: Sendable {
  private struct Kind {
    var time: UInt64
    var omitted = 0
  }
  /// As many as there are kinds: of events, for each camera.
  private let kinds = Mutex<[String: Kind]>([:])

  public init() {}

  /// How many of this kind were held back since the last that was let through; `nil`: this one is held back too. `now`: monotonic, ns.
  public func admit(_ kind: String, at now: UInt64) -> Int? {
    kinds.withLock { kinds in
      guard var known = kinds[kind], now < known.time + 1_000_000_000 else {
        return kinds.updateValue(Kind(time: now), forKey: kind)?.omitted ?? 0
      }
      known.omitted += 1
      kinds[kind] = known
      return nil
    }
  }
}
