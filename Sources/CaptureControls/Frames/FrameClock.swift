import CaptureModel

/// Knows when the exposure of a stream's frames began: for frames that were seen, from their timestamps, and for others from the interval.
///
/// A frame's exposure begins at its timestamp where the driver stamps the start of exposures, and otherwise one interval before its timestamp. While
/// the interval is unknown, the exposure is assumed to begin at the end of the previous frame; for the first frame nobody knows. In doubt a frame's
/// beginning is set too early, so that the frame counts as lacking a change.
public struct FrameClock: Hashable, Sendable {
  /// A frame that was seen.
  struct Seen: Hashable, Sendable {
    var sequence: UInt64
    /// `CLOCK_MONOTONIC` nanoseconds.
    var start: UInt64
    var timestamp: UInt64

    /// The nanoseconds per frame between this frame and a later one; `nil` where the times are not in order.
    func gap(before next: Seen) -> UInt64? {
      next.timestamp > timestamp ? (next.timestamp - timestamp) / (next.sequence - sequence) : nil
    }
  }
  /// Nanoseconds; `nil`: unknown so far.
  public private(set) var interval: UInt64?
  private var nominal: UInt64?
  private var latest: Seen?
  private var before: Seen?
  /// The frame from which the interval is measured.
  private var reference: Seen?
  /// How the stream stamps its frames, according to the latest undamaged frame.
  private var source: FrameTimestamp.Source = .endOfFrame

  /// `nominal`: the interval that the driver reports.
  public init(nominal: FrameInterval?) {
    self.nominal = nominal?.nanoseconds
    interval = self.nominal
  }

  /// Sets the interval that the driver reports once the stream has started; `nil`: it reports none, whatever it was asked for.
  public mutating func setInterval(_ interval: FrameInterval?) {
    guard interval?.nanoseconds != nominal else { return }
    nominal = interval?.nanoseconds
    self.interval = nominal
    if var seen = latest {
      seen.start = start(of: seen, after: before)
      latest = seen
    }
  }

  /// Adds a frame. `timestamp` is on `CLOCK_MONOTONIC`; sequence numbers rise.
  public mutating func tick(_ sequence: UInt64, _ timestamp: UInt64, _ source: FrameTimestamp.Source? = nil) {
    if let source { self.source = source }
    guard latest.map({ sequence > $0.sequence }) ?? true else { return }
    measure(sequence, timestamp)
    var seen = Seen(sequence: sequence, start: timestamp, timestamp: timestamp)
    seen.start = start(of: seen, after: latest)
    (before, latest) = (latest, seen)
  }

  /// When the exposure of a frame began that comes after another one; `nil`: after none that was seen.
  private func start(of frame: Seen, after former: Seen?) -> UInt64 {
    guard source == .endOfFrame else { return frame.timestamp }
    return frame.timestamp - min(frame.timestamp, interval ?? former?.gap(before: frame) ?? frame.timestamp)
  }

  /// Forgets all frames before the next one.
  public mutating func restart() {
    (latest, before, reference) = (nil, nil, nil)
  }

  /// Sets ``interval``: to the driver's if the frames keep to that, otherwise to the mean of the frames.
  private mutating func measure(_ sequence: UInt64, _ timestamp: UInt64) {
    let frame = Seen(sequence: sequence, start: timestamp, timestamp: timestamp)
    guard let from = reference, sequence > from.sequence, timestamp > from.timestamp else {
      reference = frame
      return
    }
    let count = sequence - from.sequence
    guard count >= Self.framesToMeasure else { return }
    let mean = (timestamp - from.timestamp) / count
    if let nominal, mean > nominal - nominal / 50, mean < nominal + nominal / 50 {
      interval = nominal
    } else {
      interval = mean
    }
    reference = frame
  }
  private static let framesToMeasure: UInt64 = 8

  /// The first frame whose exposure begins at or after `time`; `nil` while it is unknown, since no such frame was seen.
  public func firstFrame(from time: UInt64) -> UInt64? {
    guard let latest, latest.start >= time else { return nil }
    let steps = interval.map { $0 > 0 ? (latest.start - time) / $0 : 0 } ?? 0
    let first = latest.sequence - min(steps, latest.sequence)
    if let before, before.start < time { return max(first, before.sequence + 1) }
    return first
  }

  /// The number of the latest frame.
  public var latestSequence: UInt64? { latest?.sequence }

  /// When a frame's exposure began, or will begin.
  public func start(of sequence: UInt64) -> UInt64? {
    guard let latest else { return nil }
    if before?.sequence == sequence { return before?.start }
    if sequence == latest.sequence { return latest.start }
    guard let interval else { return nil }
    return sequence > latest.sequence
      ? latest.start + (sequence - latest.sequence) * interval
      : latest.start - min(latest.start, (latest.sequence - sequence) * interval)
  }

  /// The timestamp that a frame has, or would have.
  public func timestamp(of sequence: UInt64) -> UInt64? {
    if let seen = [latest, before].lazy.compactMap({ $0 }).first(where: { $0.sequence == sequence }) {
      return seen.timestamp
    }
    return start(of: sequence).map { source == .startOfExposure ? $0 : $0 + (interval ?? 0) }
  }

  /// The stream's rhythm, for setting a control; `nil` before the first frames.
  public var pacing: FramePacing? {
    guard let latest, let interval, interval > 0 else { return nil }
    return FramePacing(start: latest.start, interval: interval)
  }
}
