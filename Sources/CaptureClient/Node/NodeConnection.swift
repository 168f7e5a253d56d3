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
  /// Why it takes no new calls: it is lost, or the node drains.
  var refusal: RPCError? { get async }
  /// Returns the reason when the connection is lost; `nil` when the task is cancelled.
  func waitUntilLost() async -> RPCError?
  /// How it is made again when it is lost; `nil`: it is not.
  var policy: ReconnectPolicy? { get }
  /// Connections that there have been.
  var epoch: UInt64 { get async }
  /// Returns when calls that `failure` ended on connection number `epoch` can be made again. Throws `failure` where that will not be.
  func recover(from failure: RPCError, epoch: UInt64) async throws(RPCError)
}

extension NodeConnection {
  package var policy: ReconnectPolicy? { nil }
  package var epoch: UInt64 { 1 }
  package func recover(from failure: RPCError, epoch: UInt64) async throws(RPCError) { throw failure }
}

extension ClientConnection: NodeConnection {
  package func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
    .nanoseconds(try await ping(timeout: timeout).roundTrip)
  }
}
