public import CaptureModel

extension FormatDescription {
  /// `abilities`: what can be done with the format's frames.
  public init(_ format: CaptureModel.FormatDescription, _ abilities: FormatAbilities) {
    self.init(format, jpeg: abilities.isAvailableAsJPEG, by: abilities.jpegConversion)
    maximumZoomFactor = abilities.maximumZoom ?? 0
    maximumRawZoomFactor = abilities.maximumRawZoom ?? 0
    rawTransform = abilities.isTurnable
    convertedPixelFormats = abilities.targets.map(\.pixelFormat.rawValue)
    measurable = abilities.isMeasurable
  }
}
