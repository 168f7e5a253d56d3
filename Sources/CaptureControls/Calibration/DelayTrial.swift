import CaptureModel

/// One change of a control and the frames around it: which of them is the first that has it.
public struct DelayTrial: Sendable {
  /// When the driver was given the value.
  public let moment: ControlMoment
  /// Mean score of the frames before.
  private let before: Double
  /// How far from it a score is that a frame before never has.
  private let threshold: Double
  private var scores: [(sequence: UInt64, score: Double)] = []

  public init(moment: ControlMoment, before: Double, threshold: Double) {
    (self.moment, self.before, self.threshold) = (moment, before, threshold)
  }

  /// A frame that came after the change was begun, in their order.
  public mutating func add(_ sequence: UInt64, score: Double) { scores.append((sequence, score)) }

  /// The first frame that differs, and goes on to; `nil`: none yet, or the one before it was not seen.
  public var firstChanged: UInt64? {
    for (index, frame) in scores.enumerated() where differs(frame.score) {
      // A frame later it still does; else it was noise.
      guard index + 1 < scores.count else { return nil }
      guard differs(scores[index + 1].score) else { continue }
      if index > 0, scores[index - 1].sequence + 1 != frame.sequence { return nil }
      return frame.sequence
    }
    return nil
  }

  private func differs(_ score: Double) -> Bool { abs(score - before) > threshold }

  /// Frames from the first whose exposure began after the change to the first that has it. `nil`: it was not seen, or the change was made just
  /// as a frame began.
  public func delay(_ clock: FrameClock) -> Int? {
    guard let changed = firstChanged, let latch = clock.firstFrame(from: moment.ended),
      clock.firstFrame(from: moment.began) == latch, changed >= latch
    else { return nil }
    return Int(changed - latch)
  }
}

extension MeasuredDelay {
  /// What most trials say; `nil`: too few do for it to be believed.
  public init?(trials: [Int]) {
    let counts = Dictionary(trials.map { ($0, 1) }, uniquingKeysWith: +)
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    self.init(frames: most.key, agreeing: most.value, trials: trials.count)
    guard agreeing >= 4, Double(agreeing) >= 0.7 * Double(trials.count) else { return nil }
  }
}
