import CVideo4Linux
import CaptureModel

extension FrameTimestamp {
  /// The time of a buffer, and the meaning that its flags give it. `arrival`: when the buffer was taken from the driver, in `CLOCK_MONOTONIC`
  /// nanoseconds.
  ///
  /// A time that is far from that is of an unknown clock, whatever the flags say: uvcvideo flags the time of day as monotonic (`clock=realtime`), and
  /// some drivers never set the time.
  init(_ buffer: DequeuedBuffer, arrival: UInt64) {
    let clock: Clock
    switch Int32(bitPattern: buffer.flags) & V4L2_BUF_FLAG_TIMESTAMP_MASK {
    case V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC: clock = .monotonic
    case V4L2_BUF_FLAG_TIMESTAMP_COPY: clock = .copy
    default: clock = .unknown
    }
    let source = Int32(bitPattern: buffer.flags) & V4L2_BUF_FLAG_TSTAMP_SRC_MASK
    self.init(
      nanoseconds: buffer.timestamp, clock: clock,
      source: source == V4L2_BUF_FLAG_TSTAMP_SRC_SOE ? .startOfExposure : .endOfFrame)
    if clock == .monotonic, !isPlausible(arrival: arrival) { self.clock = .unknown }
  }
}
