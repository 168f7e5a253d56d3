import CaptureWire

/// One Ping and its Pong.
public struct PingSample: Hashable, Sendable {
  /// This side's clock: sending and receipt; the node's clock: receipt and sending. Nanoseconds.
  public var sent: UInt64
  public var received: UInt64
  public var nodeReceived: UInt64
  public var nodeSent: UInt64

  init(_ pong: Pong, received: UInt64) {
    sent = pong.pingSentNs
    self.received = received
    nodeReceived = pong.receivedNs
    nodeSent = pong.sentNs
  }

  /// Nanoseconds on the way, the node's own time taken off.
  public var roundTrip: UInt64 {
    let total = received &- sent
    let inside = nodeSent &- nodeReceived
    return inside <= total ? total - inside : total
  }

  /// The node's clock less this side's, and how far off that can be.
  public var offset: ClockOffset {
    let there = Int64(bitPattern: nodeReceived &- sent)
    let back = Int64(bitPattern: nodeSent &- received)
    return ClockOffset(nanoseconds: there / 2 + back / 2, error: roundTrip / 2)
  }
}

/// The node's `CLOCK_MONOTONIC` less this machine's, in nanoseconds: `node time - offset` is a time here.
public struct ClockOffset: Hashable, Sendable {
  public var nanoseconds: Int64
  /// Half the round trip that it was measured with; 0 where both clocks are the same one.
  public var error: UInt64

  public init(nanoseconds: Int64, error: UInt64) {
    self.nanoseconds = nanoseconds
    self.error = error
  }

  /// A time of the node's clock on this side's.
  public func local(_ nodeTime: UInt64) -> UInt64 { nodeTime &- UInt64(bitPattern: nanoseconds) }
}
