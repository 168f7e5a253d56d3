public import CaptureModel

extension FormatDescription {
  /// `jpeg`: whether the node can deliver the format as JPEG. `conversion`: which part of the software converts it; `nil`: none.
  public init(
    _ format: CaptureModel.FormatDescription, jpeg: Bool, by conversion: CaptureModel.JPEGConversion? = nil
  ) {
    self.init(
      pixelFormat: format.pixelFormat.rawValue, description: format.description,
      compressed: format.isCompressed, emulated: format.isEmulated, sizes: format.sizes.map(SizeOption.init),
      jpeg: jpeg, jpegConversion: Conversion(conversion))
  }

  package var model: CaptureModel.FormatDescription {
    .init(
      pixelFormat: PixelFormat(rawValue: pixelFormat), description: description, isCompressed: compressed,
      isEmulated: emulated, sizes: sizes.map(\.model))
  }

  /// `abilities`: what can be done with the format's frames.
  public init(_ format: CaptureModel.FormatDescription, _ abilities: FormatAbilities) {
    self.init(format, jpeg: abilities.isAvailableAsJPEG, by: abilities.jpegConversion)
    maximumZoomFactor = abilities.maximumZoom ?? 0
    maximumRawZoomFactor = abilities.maximumRawZoom ?? 0
    rawTransform = abilities.isTurnable
    convertedPixelFormats = abilities.targets.map(\.pixelFormat.rawValue)
    measurable = abilities.isMeasurable
  }

  /// What can be done with the format's frames. Target formats that only newer nodes know are left out.
  package var abilities: FormatAbilities {
    FormatAbilities(
      isAvailableAsJPEG: jpeg, jpegConversion: jpegConversion.model,
      targets: convertedPixelFormats.compactMap { PixelTarget(PixelFormat(rawValue: $0)) },
      isTurnable: rawTransform, isMeasurable: measurable,
      maximumZoom: maximumZoomFactor == 0 ? nil : maximumZoomFactor,
      maximumRawZoom: maximumRawZoomFactor == 0 ? nil : maximumRawZoomFactor)
  }
}

extension Conversion {
  public init(_ conversion: CaptureModel.JPEGConversion?) {
    self =
      switch conversion {
      case nil: .unspecified
      case .asItIs: .none
      case .libyuv: .libyuv
      case .libv4lconvert: .libv4lconvert
      case .node: .node
      }
  }

  /// `nil` where the node makes no JPEG of the format, or names a converter that only newer nodes know.
  public var model: CaptureModel.JPEGConversion? {
    switch self {
    case .none: .asItIs
    case .libyuv: .libyuv
    case .libv4lconvert: .libv4lconvert
    case .node: .node
    default: nil
    }
  }
}

extension SizeOption {
  public init(_ option: CaptureModel.SizeOption) {
    self.init(minimum: Size(option.minimum), maximum: Size(option.maximum), step: Size(option.step))
    current = option.current.map(Size.init)
    switch option.intervals {
    case .unknown: break
    case .discrete(let intervals): self.intervals = intervals.map(FrameInterval.init)
    case .range(let minimum, let maximum, let step):
      minimumInterval = FrameInterval(minimum)
      maximumInterval = FrameInterval(maximum)
      stepInterval = step.map(FrameInterval.init)
    }
  }

  fileprivate var model: CaptureModel.SizeOption {
    let none = FrameSize(width: 0, height: 0)
    let (least, grain) = (minimum?.model ?? none, step?.model ?? none)
    if grain.width == 0 { return .init(discrete: least, intervals: intervalOptions) }
    return .init(
      from: least, to: maximum?.model ?? none, step: grain, intervals: intervalOptions,
      current: current?.model)
  }

  private var intervalOptions: IntervalOptions {
    if let minimum = minimumInterval?.model, let maximum = maximumInterval?.model {
      return .range(minimum: minimum, maximum: maximum, step: stepInterval?.model)
    }
    return intervals.isEmpty ? .unknown : .discrete(intervals.compactMap(\.model))
  }
}
