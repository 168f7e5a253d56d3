/// Turns a driver's 32-bit frame numbers into one rising sequence from 0, over all restarts of a stream.
struct FrameNumbering {
  private var last: (native: UInt32, timestamp: UInt64)?
  private var next: UInt64 = 0
  /// `VIDEO_MAX_FRAME`: no frame is overtaken by more frames than this.
  private static let mostBuffers: UInt32 = 32

  /// Returns the sequence number of a frame, and how many frames the driver skipped before it.
  ///
  /// Returns `nil` for a frame that comes after its successor: uvcvideo fills buffers on several processors, so an older buffer can be finished
  /// later. Such a frame was counted as lost when its successor came.
  mutating func take(_ native: UInt32, timestamp: UInt64) -> (sequence: UInt64, lost: UInt64)? {
    var lost: UInt64 = 0
    if let last {
      let distance = native &- last.native
      if last.native &- native <= Self.mostBuffers, distance != 0, timestamp < last.timestamp { return nil }
      // If the number does not change or goes back, the driver began again; it did not lose four billion frames.
      if distance > 0, distance < 1 << 31 { lost = UInt64(distance) - 1 }
    }
    let sequence = next + lost
    last = (native, timestamp)
    next = sequence + 1
    return (sequence, lost)
  }

  /// Forgets the driver's last number: the driver now counts from a number of its choice.
  mutating func restart() { last = nil }
}
