import CaptureModel
import Synchronization

/// The watches that listen. It keeps each until that has ended, even if nobody else does: whoever has made a watch ends it. Adding and removing one
/// takes the same time however many there are.
final class WatchList<Watch: AnyObject & Sendable>: Sendable {
  private let watches = Mutex<[ObjectIdentifier: Watch]>([:])

  func add(_ watch: Watch) { watches.withLock { $0[ObjectIdentifier(watch)] = watch } }

  /// Throws `resourceExhausted` if no more clients may watch. `watched`: what they watch, for the message, such as "the settings of 'cam'".
  func requireRoom(within limit: NodeLimit, of watched: String) throws(CaptureError) {
    let count = count
    guard count >= limit.usual else { return }
    throw limit.exceeded("\(count) clients watch \(watched), and no more may; one of them has to end")
  }

  /// The handler for a watch's end, which removes the watch.
  var ended: @Sendable (Watch) -> Void { { [weak self] in self?.remove($0) } }

  /// Removes a watch that is over. It may never have been added.
  func remove(_ watch: Watch) {
    watches.withLock { watches in
      watches[ObjectIdentifier(watch)] = nil
      // This frees the memory that many watches took.
      if watches.isEmpty { watches = [:] }
    }
  }

  /// The watches, in no order.
  var listening: [Watch] { watches.withLock { Array($0.values) } }

  var count: Int { watches.withLock { $0.count } }

  var isEmpty: Bool { watches.withLock { $0.isEmpty } }
}
