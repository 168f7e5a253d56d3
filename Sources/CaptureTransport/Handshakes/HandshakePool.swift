import CaptureLoop
import Glibc
import Synchronization

/// Computes a node's signatures in handshakes, a few at once, on threads of its own; the origins take turns. A signature takes from a tenth of a
/// millisecond to several milliseconds, depending on the kind of the certificate's key. If a loop computed it, strangers could make the loop's
/// clients wait for as long as they like.
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

  /// As many as half of the processors, so that the other half is left for the loops and the cameras; four at most.
  static var usualWidth: Int { max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2, 4)) }

  /// Runs `work` on one of the pool's threads when it is the turn of `origin`.
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
