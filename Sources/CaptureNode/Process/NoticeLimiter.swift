import CaptureModel
import Synchronization

/// Admits one notice of each kind per second: an error that occurs a thousand times a second must not flood a log.
public final class NoticeLimiter: Sendable {
  private struct Kind {
    var time: UInt64
    var omitted = 0
  }
  /// One entry for each kind of event, with the camera or the client that it is about.
  private let kinds = Mutex<[String: Kind]>([:])

  /// The most kinds that are remembered, since new cameras and clients bring new kinds. When all places are taken, kinds whose last notice was
  /// written more than a second ago are forgotten, with their counts of held back notices. If that makes no place, all further kinds count as one
  /// kind.
  private static let mostKinds = NodeLimit.noticeKinds.usual
  private static let furtherKinds = ""

  public init() {}

  /// How many kinds are remembered.
  var count: Int { kinds.withLock { $0.count } }

  /// Returns how many notices of this kind were held back since the last that was let through; `nil`: this one is held back too. `now`: monotonic,
  /// ns.
  public func admit(_ kind: String, at now: UInt64) -> Int? {
    kinds.withLock { kinds in
      // The last place is for ``furtherKinds``.
      if kinds[kind] == nil, kinds.count >= Self.mostKinds - 1 {
        kinds = kinds.filter { now < $0.value.time + 1_000_000_000 }
      }
      let hasPlace = kinds[kind] != nil || kinds.count < Self.mostKinds - 1
      let kind = hasPlace ? kind : Self.furtherKinds
      guard var known = kinds[kind], now < known.time + 1_000_000_000 else {
        return kinds.updateValue(Kind(time: now), forKey: kind)?.omitted ?? 0
      }
      known.omitted += 1
      kinds[kind] = known
      return nil
    }
  }

  /// Returns the text to write for a notice of this kind, which says how many were held back before it; `nil`: this one is held back too. `now`:
  /// monotonic, ns.
  public func admit(_ text: String, of kind: String, at now: UInt64) -> String? {
    guard let omitted = admit(kind, at: now) else { return nil }
    return omitted == 0 ? text : "\(text) (and \(omitted) before it)"
  }
}
