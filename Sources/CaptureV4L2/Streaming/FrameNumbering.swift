/// A driver's 32-bit frame numbers as one rising sequence from 0 over all of a stream's restarts.
struct FrameNumbering {
  private var last: UInt32?
  private var next: UInt64 = 0

  /// The sequence number of a frame, and how many frames the driver skipped before it.
  mutating func take(_ native: UInt32) -> (sequence: UInt64, lost: UInt64) {
    var lost: UInt64 = 0
    if let last {
      let distance = native &- last
      // A number that stands still or goes back is a driver that began anew, not four billion lost frames.
      if distance > 0, distance < 1 << 31 { lost = UInt64(distance) - 1 }
    }
    let sequence = next + lost
    last = native
    next = sequence + 1
    return (sequence, lost)
  }

  /// The driver counts from a number of its own choice again.
  mutating func restart() { last = nil }
}
