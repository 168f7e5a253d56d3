public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// The identity of the node.
  /// Throws `unavailable` where the node is not reached.
  public func info() async throws(CaptureError) -> NodeInfo {
    try await convertingErrors { () async throws(RPCError) in
      try await NodeClient(connection).info(InfoRequest(), options: callOptions).model
    }
  }

  /// The time of one round trip on the connection, without a call. The time limit is that of calls, or ten seconds where calls have none.
  /// Throws `deadlineExceeded` where no answer came by then, and `unavailable` where the connection is lost.
  public func ping() async throws(CaptureError) -> Duration {
    try await convertingErrors { () async throws(RPCError) in
      try await abandoningIfCancelled { [connection, configuration] () async throws(RPCError) in
        try await connection.roundTrip(timeout: configuration.timeout ?? .seconds(10))
      }
    }
  }

  /// Converts a time of the node's `CLOCK_MONOTONIC` to this machine's, in nanoseconds, as exactly as the connection's delay allows.
  /// Throws `unavailable` where the connection is lost before the clocks' offset was measured.
  public func localTime(ofNode time: UInt64) async throws(CaptureError) -> UInt64 {
    try await convertingErrors { () async throws(RPCError) in
      try await abandoningIfCancelled { [connection] () async throws(RPCError) in
        try await connection.clockOffset().local(time)
      }
    }
  }
}
