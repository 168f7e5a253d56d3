import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A frame as it arrived.
public struct ReceivedFrame: Sendable {
  /// The picture's bytes, where the socket left them.
  public var payload: Payload
  public var info: FrameInfo
  /// Frames of this subscription that newer ones replaced since the last one: this client or the link was too slow.
  public var discarded: UInt64
  /// Frames left out since the last one because a lower rate was asked for.
  public var thinned: UInt64
  /// Set on the first frame after an interruption, and on the first of another format.
  public var discontinuity: StreamDiscontinuity?
  /// `CLOCK_MONOTONIC` nanoseconds of this machine when the frame was handed over.
  public var arrival: UInt64
  /// From the capture timestamp to `arrival`, over the offset between the two machines' clocks. `nil` where the timestamp's clock is not
  /// the node's monotonic one, or the offset is not known yet. Can be slightly negative: the offset is an estimate.
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
