import CaptureModel

extension FormatDescription {
  /// The format with only those frame intervals that `durations` allow; `nil`: it has none.
  public func bounded(by durations: SettingsChange.FrameDuration) -> FormatDescription? {
    var bounded = self
    bounded.sizes = sizes.compactMap { option in
      var option = option
      guard let intervals = option.intervals.bounded(by: durations) else { return nil }
      option.intervals = intervals
      return option
    }
    return bounded.sizes.isEmpty ? nil : bounded
  }

  /// Whether the format can serve a request, by its size and pixel format.
  public func matches(_ request: VideoRequest) -> Bool {
    (request.pixelFormat ?? pixelFormat) == pixelFormat
      && (request.sourceSize.map { size in sizes.contains { $0.contains(size) } } ?? true)
  }
}

extension [FormatDescription] {
  /// Whether frames of a format and size could come faster than at this interval if `durations` allowed it.
  public func isSlowed(
    _ format: StreamFormat, by durations: SettingsChange.FrameDuration
  ) -> Bool {
    guard let interval = format.interval else { return false }
    let options = filter { $0.pixelFormat == format.pixelFormat }.flatMap(\.sizes).filter {
      $0.contains(format.size)
    }
    let shortest = options.compactMap(\.intervals.shortest).min()
    let shortestAllowed = options.compactMap { $0.intervals.bounded(by: durations)?.shortest }.min()
    guard let shortest, let shortestAllowed, shortest < interval else { return false }
    return interval.reaches(rate: shortestAllowed.rate)
  }
}

extension IntervalOptions {
  fileprivate var shortest: FrameInterval? {
    switch self {
    case .unknown: nil
    case .discrete(let intervals): intervals.min()
    case .range(let minimum, _, _): minimum
    }
  }

  fileprivate func bounded(by durations: SettingsChange.FrameDuration) -> IntervalOptions? {
    switch self {
    case .unknown: return self
    case .discrete(let intervals):
      let kept = intervals.filter(durations.contains)
      return kept.isEmpty ? nil : .discrete(kept)
    case .range(let minimum, let maximum, let step):
      let least = max(minimum, durations.minimum ?? minimum)
      let most = min(maximum, durations.maximum ?? maximum)
      return least <= most ? .range(minimum: least, maximum: most, step: step) : nil
    }
  }
}

extension [FormatDescription] {
  /// The frame durations of those formats that can serve the request, for a person: "1/30, 1/15 s", "1/120 to 1 s".
  public func durationsText(_ request: VideoRequest) -> String {
    var texts: [String] = []
    for format in self where format.matches(request) {
      for option in format.sizes where request.sourceSize.map(option.contains) ?? true {
        for text in option.intervals.texts where !texts.contains(text) { texts.append(text) }
      }
    }
    return texts.joined(separator: ", ") + " s"
  }
}

extension IntervalOptions {
  fileprivate var texts: [String] {
    switch self {
    case .unknown: []
    case .discrete(let intervals): intervals.map(\.durationText)
    case .range(let minimum, let maximum, _): ["\(minimum.durationText) to \(maximum.durationText)"]
    }
  }
}
