import CaptureWire

/// The identity of a node.
public typealias NodeInfo = InfoResponse
/// The state of a node: enough to see whether it is well.
public typealias NodeStatus = StatusResponse

extension RemoteNode {
  /// The identity of the node.
  public func info() async throws(RPCError) -> NodeInfo {
    try await NodeClient(connection).info(InfoRequest(), options: callOptions)
  }

  /// The state of the node.
  public func status() async throws(RPCError) -> NodeStatus {
    try await NodeClient(connection).status(StatusRequest(), options: callOptions)
  }

  /// The time of one round trip on the connection, without a call. It has the time limit of a call, or ten seconds without one.
  public func ping() async throws(RPCError) -> Duration {
    try await connection.roundTrip(timeout: timeout ?? .seconds(10))
  }

  /// Converts a time of the node's `CLOCK_MONOTONIC` to this machine's, in nanoseconds, as exactly as the connection's delay allows.
  public func localTime(ofNode time: UInt64) async throws(RPCError) -> UInt64 {
    try await connection.clockOffset().local(time)
  }
}
