import CaptureWire

/// One Ping and its Pong.
public struct PingSample: Hashable, Sendable {
  /// When this side sent the Ping, in nanoseconds of its own clock.
  public var sent: UInt64
  /// When this side received the Pong, in nanoseconds of its own clock.
  public var received: UInt64
  /// When the node received the Ping, in nanoseconds of the node's clock.
  public var nodeReceived: UInt64
  /// When the node sent the Pong, in nanoseconds of the node's clock.
  public var nodeSent: UInt64

  init(_ pong: Pong, received: UInt64) {
    sent = pong.pingSentNs
    self.received = received
    nodeReceived = pong.receivedNs
    nodeSent = pong.sentNs
  }

  /// The time that the Ping and the Pong were on the way, in nanoseconds, without the time between them in the node.
  public var roundTrip: UInt64 {
    let total = received &- sent
    let inside = nodeSent &- nodeReceived
    return inside <= total ? total - inside : total
  }

  /// The node's clock minus this side's, and the largest possible error.
  public var offset: ClockOffset {
    let there = Int64(bitPattern: nodeReceived &- sent)
    let back = Int64(bitPattern: nodeSent &- received)
    return ClockOffset(nanoseconds: there / 2 + back / 2, error: roundTrip / 2)
  }
}

/// The node's `CLOCK_MONOTONIC` minus this machine's, in nanoseconds: `node time - offset` is a time here.
public struct ClockOffset: Hashable, Sendable {
  public var nanoseconds: Int64
  /// Half the round trip of the measurement; 0 where both sides have the same clock.
  public var error: UInt64

  public init(nanoseconds: Int64, error: UInt64) {
    self.nanoseconds = nanoseconds
    self.error = error
  }

  /// Converts a time of the node's clock to this side's clock.
  public func local(_ nodeTime: UInt64) -> UInt64 { nodeTime &- UInt64(bitPattern: nanoseconds) }
}
