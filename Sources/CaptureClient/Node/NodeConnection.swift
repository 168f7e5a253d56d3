import CaptureTransport
import CaptureWire

/// A connection as this library uses it. The transport has one; a test can have another.
package protocol NodeConnection: CallChannel {
  /// Sends a Ping and waits for its Pong. Throws `unavailable` when the connection is gone, `deadlineExceeded` after `timeout`.
  func roundTrip(timeout: Duration) async throws(RPCError) -> Duration
  /// The node's `CLOCK_MONOTONIC` minus this machine's. Only the first measurement is waited for; asking starts the next one when it is due.
  func clockOffset() async throws(RPCError) -> ClockOffset
  /// Ends the connection. Open calls fail.
  func close() async
  /// Why the connection takes no new calls: it was lost, or the node drains.
  var refusal: RPCError? { get async }
  /// Returns the reason when the connection is lost; `nil` when the task is cancelled.
  func waitUntilLost() async -> RPCError?
  /// The policy for making a lost connection again; `nil`: it is not made again.
  var policy: ReconnectPolicy? { get }
  /// How many connections there have been.
  var epoch: UInt64 { get async }
  /// Returns when calls that `failure` ended on connection number `epoch` can be made again. Throws `failure` where they cannot.
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
