import CaptureModel

/// Chooses the frame of a photo among those of a stream.
protocol FrameChoice: Sendable {
  /// Judges a frame. `best`: the best one so far. Returns whether this one is better, and whether no better one can come.
  mutating func judge(_ taken: TakenFrame, best: TakenFrame?) -> (isBest: Bool, isLast: Bool)
}

/// Chooses the first frame that was exposed late enough and has wanted settings.
struct FirstFrame: FrameChoice {
  /// Decides which frames were exposed late enough; `nil`: all were.
  var filter: ExposureFilter?
  /// How many more wanted frames are skipped.
  var skipping = 0
  /// Decides whether a frame with these settings may be the photo; `nil`: any settings will do.
  var isWanted: (@Sendable (FrameSettings?) -> Bool)?
  /// How many unwanted frames are declined. After them any frame is taken: no wanted one will come.
  var mostUnwanted = 90
  private(set) var unwanted = 0

  mutating func judge(_ taken: TakenFrame, best: TakenFrame?) -> (isBest: Bool, isLast: Bool) {
    let isTaken = accepts(taken)
    return (isTaken, isTaken)
  }

  private mutating func accepts(_ taken: TakenFrame) -> Bool {
    let (timestamp, interval) = (taken.frame.timestamp, taken.frame.format.interval)
    if filter?.accepts(timestamp, interval: interval, at: taken.moment.arrival) == false { return false }
    if isWanted?(taken.settings) == false {
      unwanted += 1
      if unwanted <= mostUnwanted { return false }
    }
    skipping -= 1
    return skipping < 0
  }
}

/// Chooses the frame whose exposure began nearest to a moment.
struct NearestFrame: FrameChoice {
  /// `CLOCK_MONOTONIC` nanoseconds.
  let time: UInt64

  func judge(_ taken: TakenFrame, best: TakenFrame?) -> (isBest: Bool, isLast: Bool) {
    let isBest = best.map { taken.distance(to: time) < $0.distance(to: time) } ?? true
    return (isBest, taken.beginning.time >= time)
  }
}
