internal import CaptureWire

/// The identity of a node.
public struct NodeInfo: Hashable, Sendable {
  /// The machine's host name.
  public var name: String
  /// The version of capture-node: "0.1.0".
  public var version: String
  /// The boot to which the node's `CLOCK_MONOTONIC` belongs.
  public var bootID: String
  /// "Linux 6.1.0"
  public var kernel: String
  /// "x86_64", "aarch64"
  public var machine: String
  /// How many cameras are present now.
  public var cameras: Int
  /// The addresses on which it listens.
  public var listeners: [String]
  /// Every method that it serves: "capture.v1.Devices/List".
  public var methods: [String]

  init(_ message: InfoResponse) {
    (name, version, bootID) = (message.name, message.version, message.bootID)
    (kernel, machine, cameras) = (message.kernel, message.machine, Int(message.cameras))
    (listeners, methods) = (message.listeners, message.methods)
  }
}

extension RemoteNode {
  /// The identity of the node.
  public func info() async throws(CaptureError) -> NodeInfo {
    try await capturing { () async throws(RPCError) in
      NodeInfo(try await NodeClient(connection).info(InfoRequest(), options: callOptions))
    }
  }

  /// The time of one round trip on the connection, without a call. It has the time limit of a call, or ten seconds without one.
  public func ping() async throws(CaptureError) -> Duration {
    try await capturing { () async throws(RPCError) in
      try await abandoning { [connection, configuration] () async throws(RPCError) in
        try await connection.roundTrip(timeout: configuration.timeout ?? .seconds(10))
      }
    }
  }

  /// Converts a time of the node's `CLOCK_MONOTONIC` to this machine's, in nanoseconds, as exactly as the connection's delay allows.
  public func localTime(ofNode time: UInt64) async throws(CaptureError) -> UInt64 {
    try await capturing { () async throws(RPCError) in
      try await abandoning { [connection] () async throws(RPCError) in
        try await connection.clockOffset().local(time)
      }
    }
  }
}
