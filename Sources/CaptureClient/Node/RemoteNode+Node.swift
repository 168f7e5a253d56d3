import CaptureWire

/// Who a node is.
public typealias NodeInfo = InfoResponse
/// How a node is: what one needs to see that it is well.
public typealias NodeStatus = StatusResponse

extension RemoteNode {
  /// Who the node is.
  public func info() async throws(RPCError) -> NodeInfo {
    try await NodeClient(connection).info(InfoRequest(), options: callOptions)
  }

  /// How the node is.
  public func status() async throws(RPCError) -> NodeStatus {
    try await NodeClient(connection).status(StatusRequest(), options: callOptions)
  }

  /// The time of one round trip on the connection, without a call. Bounded as a call is, and by ten seconds without a timeout.
  public func ping() async throws(RPCError) -> Duration {
    try await connection.roundTrip(timeout: timeout ?? .seconds(10))
  }

  /// A time of the node's `CLOCK_MONOTONIC` on this machine's, nanoseconds, as far as the connection's delay lets it be known.
  public func localTime(ofNode time: UInt64) async throws(RPCError) -> UInt64 {
    try await connection.clockOffset().local(time)
  }
}
