/// The tones of the picture over time: a frame has the tone that held when its exposure began.
struct ToneHistory {
  private var entries: [(time: UInt64, tone: Tone)] = []

  /// How many tones are kept at most. The oldest is forgotten first.
  private static let longest = 64

  /// Notes a tone that holds from `time` on, in `CLOCK_MONOTONIC` nanoseconds.
  mutating func note(_ tone: Tone, at time: UInt64) {
    guard entries.last?.tone != tone else { return }
    if entries.count == Self.longest { entries.removeFirst() }
    entries.append((time, tone))
  }

  /// The tone at a moment. Before the first change it is the initial one. Tones of earlier moments are forgotten.
  mutating func tone(at time: UInt64) -> Tone {
    while entries.count > 1, entries[1].time <= time { entries.removeFirst() }
    return entries.first?.tone ?? Tone()
  }
}
