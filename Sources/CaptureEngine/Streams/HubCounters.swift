import CaptureModel

/// The counters of a stream, besides its driver's.
struct HubCounters: Sendable {
  private(set) var corrupt: UInt64 = 0
  /// The latest frames that decoding found damaged, by their numbers in the stream.
  private var damaged: [UInt64] = []
  var encoded: UInt64 = 0
  var encodeTime: Duration = .zero
  /// Frames that were discarded for readers that were too slow.
  var discarded: UInt64 = 0
  var lastError: PastError?

  private static let remembered = 8

  /// The text that reports a dropped frame.
  static func textOfDrop(_ defect: String) -> String { "a corrupt frame was dropped: \(defect)" }

  /// Counts a dropped frame.
  mutating func countDrop(_ text: String) {
    corrupt += 1
    lastError = PastError(text)
  }

  /// Counts a frame that is damaged inside. Each frame counts once, however many decoders find the damage. Returns whether the frame was counted now.
  mutating func count(damaged ordinal: UInt64) -> Bool {
    if damaged.contains(ordinal) { return false }
    if damaged.count == Self.remembered { damaged.removeFirst() }
    damaged.append(ordinal)
    corrupt += 1
    return true
  }

  /// Adds the counters of another stream.
  mutating func add(_ other: HubCounters) {
    corrupt += other.corrupt
    encoded += other.encoded
    encodeTime += other.encodeTime
    discarded += other.discarded
    if let error = other.lastError, error.time >= lastError?.time ?? 0 { lastError = error }
  }
}

extension StreamHub {
  var counters: HubCounters { state.withLock(\.counters) }

  /// Counts frames that were discarded for readers that have left.
  func countDiscarded(_ frames: UInt64) { state.withLock { $0.counters.discarded += frames } }

  /// Frames a second, measured until `now` (`CLOCK_MONOTONIC` nanoseconds).
  func measuredRate(at now: UInt64) -> Double { state.withLock { $0.meter.rate(now) } }

  /// "; 12 corrupt frames were dropped meanwhile", or an empty text if none was.
  func dropsText(since before: UInt64) -> String {
    let count = counters.corrupt - before
    return count == 0
      ? "" : "; \(count) corrupt \(count == 1 ? "frame was" : "frames were") dropped meanwhile"
  }

  /// Counts a frame that is damaged inside, so that no picture can be made of it. The frame counts once, however many decoders find the damage.
  func noteDamage(_ ordinal: UInt64, _ damage: String) {
    let text = HubCounters.textOfDrop(damage)
    let isNew = state.withLock { state in
      state.counters.lastError = PastError(text)
      return state.counters.count(damaged: ordinal)
    }
    if isNew { report(.corrupt, text) }
  }

  /// Counts an encode of the frame with the number `ordinal` in the stream, and the damage that the encoder found.
  func noteEncode(_ result: Result<Picture, CaptureError>, of ordinal: UInt64) {
    switch result {
    case .success(let picture):
      state.withLock { state in
        state.counters.encoded += 1
        state.counters.encodeTime += picture.description.encodeTime ?? .zero
      }
    case .failure(let error) where error.code == .dataLoss: noteDamage(ordinal, error.message)
    case .failure(let error):
      state.withLock { $0.counters.lastError = PastError(error.message) }
      report(.encodingFailed, error.message)
    }
  }
}
