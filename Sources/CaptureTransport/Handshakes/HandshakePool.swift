import CaptureLoop
import Glibc
import Synchronization

/// Computes what a node signs in handshakes, on threads of its own, a few at once; the origins take turns. A signature takes from a tenth of a millisecond to
/// several, by the kind of the certificate's key. On a loop, strangers could make clients that are connected wait for as long as they like.
///
/// At rest it has no thread.
final class HandshakePool: Sendable {
  private struct State {
    var line = HandshakeLine<@Sendable () -> Void>()
    /// Lanes that have nothing to do.
    var idle: [Int]
  }
  private let lanes: [QueueExecutor]
  private let state: Mutex<State>

  /// `width`: how many it computes at once.
  init(width: Int = HandshakePool.usualWidth) {
    lanes = (0..<width).map { QueueExecutor(label: "capture.handshakes\($0)", threads: .own) }
    state = Mutex(State(idle: Array(0..<width)))
  }

  /// Half of the processors, so that the others have the loops and the cameras; up to four.
  static var usualWidth: Int { max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2, 4)) }

  /// Runs `work` on a thread of its own when it is the turn of `origin`.
  func add(of origin: Origin, _ work: @escaping @Sendable () -> Void) -> HandshakeLine<Void>.Ticket {
    let (ticket, lane) = state.withLock { ($0.line.add(work, of: origin), $0.idle.popLast()) }
    if let lane { lanes[lane].async { self.work(on: lane) } }
    return ticket
  }

  /// Drops work that has not begun yet.
  func remove(_ ticket: HandshakeLine<Void>.Ticket) { state.withLock { $0.line.remove(ticket) } }

  /// How many wait for their turn.
  var waiting: Int { state.withLock { $0.line.count } }

  private func work(on lane: Int) {
    while let work = next(on: lane) { work() }
  }

  private func next(on lane: Int) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let next = state.line.next()
      if next == nil { state.idle.append(lane) }
      return next
    }
  }
}
