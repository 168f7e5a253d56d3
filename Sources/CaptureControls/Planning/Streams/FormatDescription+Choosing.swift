import CaptureModel

extension IntervalOptions {
  /// The slowest interval that reaches `rate` frames a second, or else the fastest there is; `nil` where the driver reports none.
  func slowest(reaching rate: Double) -> FrameInterval? {
    switch self {
    case .unknown:
      return nil
    case .discrete(let intervals):
      return intervals.filter { $0.reaches(rate: rate) }.max() ?? intervals.min()
    case .range(let minimum, let maximum, _):
      guard let asked = FrameInterval(rate: rate) else { return maximum }  // No interval is so slow.
      return Swift.max(minimum, Swift.min(asked, maximum))
    }
  }
}

extension SizeOption {
  /// The offered size nearest to `size`.
  func nearest(to size: FrameSize) -> FrameSize {
    func nearest(_ value: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
      let clamped = Swift.min(Swift.max(value, minimum), maximum)
      guard step > 0 else { return clamped }
      let rounded = minimum + (clamped - minimum + step / 2) / step * step
      return rounded > maximum ? rounded - step : rounded
    }
    if isDiscrete { return minimum }
    return FrameSize(
      width: nearest(size.width, minimum.width, maximum.width, step.width),
      height: nearest(size.height, minimum.height, maximum.height, step.height))
  }
}

extension FormatDescription {
  /// Whether `size` lies in a stepwise range. The camera has to be asked for the intervals at such a size.
  public func hasStepwise(_ size: FrameSize) -> Bool {
    sizes.contains { !$0.isDiscrete && $0.contains(size) }
  }

  /// The format with `size` as its one discrete size, and with the intervals of that size.
  public func pinned(to size: FrameSize, intervals: IntervalOptions) -> FormatDescription {
    var pinned = self
    pinned.sizes = [SizeOption(discrete: size, intervals: intervals)]
    return pinned
  }
}
