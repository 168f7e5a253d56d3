/// What the controls did to the picture, and since when: a frame has the tone that held when its exposure began.
struct ToneHistory {
  private var entries: [(time: UInt64, tone: Tone)] = []

  /// More changes than one exposure sees are forgotten, the oldest first.
  private static let longest = 64

  /// From `time` on, `CLOCK_MONOTONIC` nanoseconds.
  mutating func note(_ tone: Tone, at time: UInt64) {
    guard entries.last?.tone != tone else { return }
    if entries.count == Self.longest { entries.removeFirst() }
    entries.append((time, tone))
  }

  /// The tone at a moment; before the first change the one it began with.
  mutating func tone(at time: UInt64) -> Tone {
    while entries.count > 1, entries[1].time <= time { entries.removeFirst() }
    return entries.first?.tone ?? Tone()
  }
}
