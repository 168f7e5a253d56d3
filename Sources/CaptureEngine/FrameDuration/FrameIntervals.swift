import CaptureModel

extension ActiveStream {
  /// The frame durations of the stream's format and size.
  func frameDuration(of formats: [FormatDescription]) -> SettingsDescription.ValueRange? {
    frameIntervals(of: formats).map { ends in
      SettingsDescription.ValueRange(ends, defaultValue: format.interval)
    }
  }

  /// The shortest and the longest interval of the stream's format and size.
  func frameIntervals(of formats: [FormatDescription]) -> ClosedRange<FrameInterval>? {
    let sizes = formats.first { $0.pixelFormat == format.pixelFormat }?.sizes ?? []
    return sizes.first { $0.contains(format.size) }?.intervals.ends
  }
}

extension SettingsDescription.ValueRange {
  /// The range in seconds.
  init(_ ends: ClosedRange<FrameInterval>, defaultValue: FrameInterval? = nil) {
    self.init(
      minimum: ends.lowerBound.seconds, maximum: ends.upperBound.seconds,
      defaultValue: (defaultValue ?? ends.lowerBound).seconds)
  }
}

extension [FormatDescription] {
  /// The shortest and the longest interval of any format.
  var frameIntervals: ClosedRange<FrameInterval>? {
    let ends = flatMap(\.sizes).compactMap(\.intervals.ends)
    guard let least = ends.map(\.lowerBound).min(), let most = ends.map(\.upperBound).max() else {
      return nil
    }
    return least...most
  }
}

extension IntervalOptions {
  fileprivate var ends: ClosedRange<FrameInterval>? {
    switch self {
    case .unknown: nil
    case .discrete(let intervals):
      intervals.min().flatMap { least in intervals.max().map { least...$0 } }
    case .range(let minimum, let maximum, _): minimum <= maximum ? minimum...maximum : nil
    }
  }
}

extension VideoRequest {
  /// Limits the rate of the request to what the bounds of the frame duration allow.
  mutating func limitRate(to durations: SettingsChange.FrameDuration?) {
    guard let durations else { return }
    if let fastest = durations.minimum?.rate { rate = min(rate ?? fastest, fastest) }
    if let slowest = durations.maximum?.rate { rate = max(rate ?? slowest, slowest) }
  }
}
