import CaptureModel

/// One change of a control, and the scores of the frames around it. They show which frame is the first that has the change.
public struct DelayTrial: Sendable {
  /// When the driver got the value.
  public let moment: ControlMoment
  /// The mean score of the frames before the change.
  private let before: Double
  /// A frame differs if its score is further than this from ``before``. No frame before the change is.
  private let threshold: Double
  private var scores: [(sequence: UInt64, score: Double)] = []

  public init(moment: ControlMoment, before: Double, threshold: Double) {
    (self.moment, self.before, self.threshold) = (moment, before, threshold)
  }

  /// Adds a frame that came after the change was begun. Frames come in order.
  public mutating func add(_ sequence: UInt64, score: Double) { scores.append((sequence, score)) }

  /// The first frame that differs, if the next one differs too; `nil`: there is none yet, or the frame before it is missing.
  public var firstChanged: UInt64? {
    for (index, frame) in scores.enumerated() where differs(frame.score) {
      // The next frame has to differ too; otherwise it was noise.
      guard index + 1 < scores.count else { return nil }
      guard differs(scores[index + 1].score) else { continue }
      if index > 0, scores[index - 1].sequence + 1 != frame.sequence { return nil }
      return frame.sequence
    }
    return nil
  }

  private func differs(_ score: Double) -> Bool { abs(score - before) > threshold }

  /// How many frames lie between the first frame whose exposure began after the change and the first frame that has the change. `nil`: no frame
  /// showed the change, or it was made just as a frame began.
  public func delay(_ clock: FrameClock) -> Int? {
    guard let changed = firstChanged, let latch = clock.firstFrame(from: moment.ended),
      clock.firstFrame(from: moment.began) == latch, changed >= latch
    else { return nil }
    return Int(changed - latch)
  }
}

extension MeasuredDelay {
  /// The delay of most trials; `nil`: too few trials agree for it to be believed.
  public init?(trials: [Int]) {
    let counts = Dictionary(trials.map { ($0, 1) }, uniquingKeysWith: +)
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    self.init(frames: most.key, agreeing: most.value, trials: trials.count)
    guard agreeing >= 4, Double(agreeing) >= 0.7 * Double(trials.count) else { return nil }
  }
}
