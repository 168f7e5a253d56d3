/// How long a frame has been in its place: on its way to its client, or waiting for credit or room. Frames follow one another there.
struct FrameWait {
  private var number: UInt64 = 0
  private var seen: UInt64 = 0
  /// The size of the frame if it is late and counts (``OriginState/lateFrameBegan(bytes:within:)``); 0: it does not count.
  var lateBytes = 0

  /// Whether no frame has had the place yet.
  var isUnused: Bool { number == 0 }

  /// Notes that another frame has the place.
  mutating func begin() { number &+= 1 }

  /// Looks at the place. Returns whether the frame was there at the last look, too.
  mutating func look() -> Bool {
    defer { seen = number }
    return seen == number
  }
}
