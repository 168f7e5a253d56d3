import CaptureModel

/// When a stream's frames began to be exposed: of those that were seen by their timestamps, of others by the interval between.
///
/// Frame n's exposure begins at its timestamp where the driver stamps starts, else an interval before it. While the interval is not known it
/// begins with the end of the frame before, and of the first one nobody knows: a frame is rather taken to have begun too early, and so to lack what was set.
public struct FrameClock: Hashable, Sendable {
  /// A frame that was seen.
  struct Seen: Hashable, Sendable {
    var sequence: UInt64
    /// `CLOCK_MONOTONIC` nanoseconds.
    var start: UInt64
    var timestamp: UInt64
  }
  /// Nanoseconds; `nil`: not known yet.
  public private(set) var interval: UInt64?
  private var nominal: UInt64?
  private var latest: Seen?
  private var before: Seen?
  /// Where the interval is measured from.
  private var reference: Seen?
  /// How the stream stamps its frames, by the latest that came whole.
  private var source: FrameTimestamp.Source = .endOfFrame

  /// `nominal`: what the driver says.
  public init(nominal: FrameInterval?) {
    self.nominal = nominal?.nanoseconds
    interval = self.nominal
  }

  /// What the driver says, once the stream has started.
  public mutating func keep(to interval: FrameInterval?) {
    guard let interval, interval.nanoseconds != nominal else { return }
    nominal = interval.nanoseconds
    self.interval = nominal
    if source == .endOfFrame, let seen = latest {
      latest?.start = seen.timestamp - min(seen.timestamp, interval.nanoseconds)
    }
  }

  /// A frame was seen; `timestamp` on `CLOCK_MONOTONIC`. Sequence numbers rise.
  public mutating func tick(_ sequence: UInt64, _ timestamp: UInt64, _ source: FrameTimestamp.Source? = nil) {
    if let source { self.source = source }
    guard latest.map({ sequence > $0.sequence }) ?? true else { return }
    measure(sequence, timestamp)
    let length =
      self.source == .startOfExposure ? 0 : interval ?? gap(before: sequence, timestamp) ?? timestamp
    before = latest
    latest = Seen(sequence: sequence, start: timestamp - min(timestamp, length), timestamp: timestamp)
  }

  /// Nanoseconds between the latest frame and this, for each frame from there; `nil`: there is none.
  private func gap(before sequence: UInt64, _ timestamp: UInt64) -> UInt64? {
    guard let latest, timestamp > latest.timestamp else { return nil }
    return (timestamp - latest.timestamp) / (sequence - latest.sequence)
  }

  /// Nothing is known of frames before the next one.
  public mutating func restart() {
    (latest, before, reference) = (nil, nil, nil)
  }

  /// The driver's interval where the frames keep to it, else theirs.
  private mutating func measure(_ sequence: UInt64, _ timestamp: UInt64) {
    let frame = Seen(sequence: sequence, start: timestamp, timestamp: timestamp)
    guard let from = reference, sequence > from.sequence, timestamp > from.timestamp else {
      reference = frame
      return
    }
    let count = sequence - from.sequence
    guard count >= Self.measured else { return }
    let mean = (timestamp - from.timestamp) / count
    if let nominal, mean > nominal - nominal / 50, mean < nominal + nominal / 50 {
      interval = nominal
    } else {
      interval = mean
    }
    reference = frame
  }
  private static let measured: UInt64 = 8

  /// The first frame whose exposure begins at or after `time`; `nil` while that is not known: no frame that does was seen.
  public func firstFrame(from time: UInt64) -> UInt64? {
    guard let latest, latest.start >= time else { return nil }
    let steps = interval.map { $0 > 0 ? (latest.start - time) / $0 : 0 } ?? 0
    let first = latest.sequence - min(steps, latest.sequence)
    if let before, before.start < time { return max(first, before.sequence + 1) }
    return first
  }

  /// Of the frames that were seen.
  public var latestSequence: UInt64? { latest?.sequence }

  /// When a frame's exposure began, or will.
  public func start(of sequence: UInt64) -> UInt64? {
    guard let latest else { return nil }
    if before?.sequence == sequence { return before?.start }
    if sequence == latest.sequence { return latest.start }
    guard let interval else { return nil }
    return sequence > latest.sequence
      ? latest.start + (sequence - latest.sequence) * interval
      : latest.start - min(latest.start, (latest.sequence - sequence) * interval)
  }

  /// A frame's timestamp, as it came or would have.
  public func timestamp(of sequence: UInt64) -> UInt64? {
    if let seen = [latest, before].lazy.compactMap({ $0 }).first(where: { $0.sequence == sequence }) {
      return seen.timestamp
    }
    return start(of: sequence).map { source == .startOfExposure ? $0 : $0 + (interval ?? 0) }
  }

  /// For setting a control; `nil` before the first frames.
  public var pacing: FramePacing? {
    guard let latest, let interval, interval > 0 else { return nil }
    return FramePacing(start: latest.start, interval: interval)
  }
}
