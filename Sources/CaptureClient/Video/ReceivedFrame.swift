import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A frame that was received.
public struct ReceivedFrame: Sendable {
  /// The picture's bytes, in the memory into which the socket was read.
  public var payload: Payload
  public var info: FrameInfo
  /// How many frames of this subscription newer ones replaced since the last one, because this client or the link was too slow.
  public var discarded: UInt64
  /// How many frames were left out since the last one for a lower requested rate.
  public var thinned: UInt64
  /// Set on the first frame after an interruption, and on the first of another format.
  public var discontinuity: StreamDiscontinuity?
  /// This machine's `CLOCK_MONOTONIC`, in nanoseconds, when the reader got the frame.
  public var arrival: UInt64
  /// The time from the capture timestamp to `arrival`, with the offset between the two machines' clocks. `nil` where the timestamp is not on the node's
  /// monotonic clock, or where the offset is not known yet. It can be slightly negative, since the offset is an estimate.
  public var latency: Duration?

  init(_ message: VideoFrame, payload: Payload, arrival: UInt64, clockOffset: ClockOffset?) {
    let info = message.info ?? FrameInfo()
    self.payload = payload
    self.info = info
    discarded = message.discarded
    thinned = message.thinned
    switch message.discontinuity {
    case .resumed: discontinuity = StreamDiscontinuity(.resumed, reason: message.reason)
    case .reconfigured: discontinuity = StreamDiscontinuity(.reconfigured, reason: message.reason)
    default: discontinuity = nil
    }
    self.arrival = arrival
    if let clockOffset, info.timestamp.clock == .monotonic {
      let captured = clockOffset.local(info.timestamp.nanoseconds)
      latency = .nanoseconds(Int64(bitPattern: arrival &- captured))
    }
  }
}
