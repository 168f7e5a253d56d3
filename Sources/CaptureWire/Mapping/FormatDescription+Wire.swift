import CaptureModel

extension CaptureModel.FormatDescription {
  package init(_ message: FormatDescription) {
    self.init(
      pixelFormat: PixelFormat(rawValue: message.pixelFormat), description: message.description,
      isCompressed: message.compressed, isEmulated: message.emulated,
      sizes: message.sizes.map(CaptureModel.SizeOption.init))
  }
}

extension CaptureModel.SizeOption {
  package init(_ message: SizeOption) {
    let minimum = message.minimum?.model ?? .zero
    let step = message.step?.model ?? .zero
    let intervals = IntervalOptions(message)
    if step.width == 0 {
      self.init(discrete: minimum, intervals: intervals)
    } else {
      self.init(
        from: minimum, to: message.maximum?.model ?? .zero, step: step, intervals: intervals,
        current: message.current?.model)
    }
  }
}

extension IntervalOptions {
  fileprivate init(_ message: SizeOption) {
    let minimum = message.minimumInterval?.model
    let maximum = message.maximumInterval?.model
    if let minimum, let maximum {
      self = .range(
        minimum: minimum, maximum: maximum, step: message.stepInterval?.model)
    } else if message.intervals.isEmpty {
      self = .unknown
    } else {
      self = .discrete(message.intervals.compactMap(\.model))
    }
  }
}

extension FrameSize {
  fileprivate static let zero = FrameSize(width: 0, height: 0)
}
