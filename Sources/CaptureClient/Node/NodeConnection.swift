package import CaptureTransport
package import CaptureWire

/// A connection as this library uses it. The transport's connection is one; a test can have another.
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
  /// The node at the other end; `nil`: it has not said.
  var node: NodeIncarnation? { get async }
  /// Waits until calls that `failure` ended on connection number `epoch` can be made again, and returns `true`; `false`: the connection is there, and
  /// `failure` was not its end. Throws `failure` where there will be no connection any more.
  func recover(from failure: RPCError, epoch: UInt64) async throws(RPCError) -> Bool
}

/// A node's process, from its start to its end.
package struct NodeIncarnation: Hashable, Sendable {
  package var bootID: String
  /// When the process started, on the node's `CLOCK_MONOTONIC`, in nanoseconds; 0: an older node, which does not say.
  package var startedAt: UInt64

  package init(bootID: String, startedAt: UInt64) { (self.bootID, self.startedAt) = (bootID, startedAt) }
}

extension NodeConnection {
  package var node: NodeIncarnation? { nil }
  package var policy: ReconnectPolicy? { nil }
  package var epoch: UInt64 { 1 }
  package func recover(from failure: RPCError, epoch: UInt64) async throws(RPCError) -> Bool { throw failure }
}

extension ClientConnection: NodeConnection {
  package var node: NodeIncarnation? {
    get async { hello.map { NodeIncarnation(bootID: $0.bootID, startedAt: $0.startedNs) } }
  }

  package func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
    .nanoseconds(try await ping(timeout: timeout).roundTrip)
  }
}
