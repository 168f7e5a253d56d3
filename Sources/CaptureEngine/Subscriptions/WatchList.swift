import Synchronization

/// Those who listen, until they are over. To come and to go takes as long however many there are, and who has gone is not kept.
final class WatchList<Watch: AnyObject & Sendable>: Sendable {
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])

  func add(_ watch: Watch) { watches.withLock { $0[ObjectIdentifier(watch)] = watch } }

  /// Has its end, which it tells, take it out.
  var ended: @Sendable (Watch) -> Void { { [weak self] in self?.remove($0) } }

  /// It is over. It may never have been added.
  func remove(_ watch: Watch) {
    watches.withLock { watches in
      watches[ObjectIdentifier(watch)] = nil
      // What a crowd took.
      if watches.isEmpty { watches = [:] }
    }
  }

  /// In no order.
  var listening: [Watch] { watches.withLock { Array($0.values) } }

  var count: Int { watches.withLock { $0.count } }

  var isEmpty: Bool { watches.withLock { $0.isEmpty } }
}
