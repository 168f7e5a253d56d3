import CaptureLoop
import CaptureTLS

/// The handshake of one connection, which a node's pool computes. Confined to the connection's loop. While it ``isAway``, the pool has the session,
/// and the loop does not touch the session.
final class PooledHandshake {
  private let pool: HandshakePool
  private let origin: Origin
  private var ticket: HandshakeLine<Void>.Ticket?

  init(_ pool: HandshakePool, of origin: Origin) { (self.pool, self.origin) = (pool, origin) }

  var isAway: Bool { ticket != nil }

  /// Goes on with the handshake. `done` is called on the loop when the loop has the session again.
  func resume(
    _ session: TLSSession, on serial: QueueExecutor, done: @escaping @Sendable (TLSSession.Outcome) -> Void
  ) {
    // The session has one owner at a time: the pool's lock and the loop's inbox hand it over.
    nonisolated(unsafe) let session = session
    ticket = pool.add(of: origin) {
      let outcome = session.shakeHands()
      serial.async { done(outcome) }
    }
  }

  /// Notes that the loop has the session again.
  func takeBack() { ticket = nil }

  /// Drops the handshake if it has not begun, since the connection is closed.
  func cancel() {
    if let ticket { pool.remove(ticket) }
  }
}
