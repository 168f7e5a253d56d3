public import CaptureModel
public import CaptureSystem
internal import CaptureTransport
internal import CaptureWire

/// A frame that was received.
public struct ReceivedFrame: Sendable {
  /// The picture's bytes, in the memory into which the socket was read.
  public var payload: Payload
  /// The frame's number, time, format, settings, and how it shows the sensor.
  public var info: CaptureModel.FrameInfo
  /// How many frames since the one before were damaged, or were replaced by newer ones because this client or the link was too slow.
  public var discarded: UInt64
  /// How many frames since the one before were left out because a lower rate was requested.
  public var thinned: UInt64
  /// Set on the first frame after an interruption, and on the first of another format.
  public var discontinuity: StreamDiscontinuity?
  /// Set on the first frame after a lost connection, or of a camera that came back.
  public var resumption: Resumption?
  /// This machine's `CLOCK_MONOTONIC`, in nanoseconds, when the reader got the frame.
  public var arrival: UInt64
  /// The time from the capture timestamp to `arrival`, with the offset between the two machines' clocks. `nil` where the timestamp is not on the
  /// node's monotonic clock, or where the offset is not known yet. It can be slightly negative, since the offset is an estimate.
  public var latency: Duration?

  init(_ message: VideoFrame, payload: Payload, arrival: UInt64, clockOffset: ClockOffset?) {
    let info = (message.info ?? CaptureWire.FrameInfo()).model
    self.payload = payload
    self.info = info
    discarded = message.discarded
    thinned = message.thinned
    discontinuity = message.discontinuity.model(message.reason)
    self.arrival = arrival
    if let clockOffset, info.timestamp.clock == .monotonic {
      let captured = clockOffset.local(info.timestamp.nanoseconds)
      latency = .nanoseconds(Int64(bitPattern: arrival &- captured))
    }
  }
}
