import CaptureTransport
import CaptureWire

/// What this library needs of a connection. The transport's is one; a test can be another.
package protocol NodeConnection: CallChannel {
  /// One Ping and its Pong. Throws `unavailable` when the connection is gone, `deadlineExceeded` after `timeout`.
  func roundTrip(timeout: Duration) async throws(RPCError) -> Duration
  /// The node's `CLOCK_MONOTONIC` less ours. Waits for the first measurement only; asking starts the next one when it is due.
  func clockOffset() async throws(RPCError) -> ClockOffset
  /// Ends the connection; calls that are open fail.
  func close() async
}

extension ClientConnection: NodeConnection {
  package func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
    .nanoseconds(try await ping(timeout: timeout).roundTrip)
  }
}
