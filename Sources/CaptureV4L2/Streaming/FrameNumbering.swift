/// A driver's 32-bit frame numbers as one rising sequence from 0 over all of a stream's restarts.
struct FrameNumbering {
  private var last: (native: UInt32, timestamp: UInt64)?
  private var next: UInt64 = 0
  /// `VIDEO_MAX_FRAME`: no frame is overtaken by more.
  private static let mostBuffers: UInt32 = 32

  /// The sequence number of a frame, and how many frames the driver skipped before it.
  ///
  /// `nil` for a frame that comes after its successor: uvcvideo fills buffers on several processors, so an older one can be done
  /// later. It was counted as lost when the successor came.
  mutating func take(_ native: UInt32, timestamp: UInt64) -> (sequence: UInt64, lost: UInt64)? {
    var lost: UInt64 = 0
    if let last {
      let distance = native &- last.native
      if last.native &- native <= Self.mostBuffers, distance != 0, timestamp < last.timestamp { return nil }
      // A number that stands still or goes back is a driver that began anew, not four billion lost frames.
      if distance > 0, distance < 1 << 31 { lost = UInt64(distance) - 1 }
    }
    let sequence = next + lost
    last = (native, timestamp)
    next = sequence + 1
    return (sequence, lost)
  }

  /// The driver counts from a number of its own choice again.
  mutating func restart() { last = nil }
}
