/// What can be done with a camera's frames in one pixel format. All else is the same in every format.
public struct FormatAbilities: Hashable, Sendable {
  /// Whether frames can be delivered as JPEG.
  public var isAvailableAsJPEG: Bool
  /// What makes JPEGs of them; `nil`: nothing does.
  public var jpegConversion: JPEGConversion?
  /// The formats into which they can be converted (`availableVideoPixelFormatTypes`).
  public var targets: [PixelTarget]
  /// Whether raw frames can be cropped, turned and mirrored.
  public var isTurnable: Bool
  /// Whether the node's own modes can follow the picture.
  public var isMeasurable: Bool
  /// The largest zoom factor that shows in JPEGs and converted frames, 1 or more (`videoMaxZoomFactor`); `nil`: unknown.
  public var maximumZoom: Double?
  /// The same for raw frames as they come.
  public var maximumRawZoom: Double?

  public init(
    isAvailableAsJPEG: Bool = false, jpegConversion: JPEGConversion? = nil, targets: [PixelTarget] = [],
    isTurnable: Bool = false, isMeasurable: Bool = false, maximumZoom: Double? = nil,
    maximumRawZoom: Double? = nil
  ) {
    self.isAvailableAsJPEG = isAvailableAsJPEG
    self.jpegConversion = jpegConversion
    self.targets = targets
    self.isTurnable = isTurnable
    self.isMeasurable = isMeasurable
    self.maximumZoom = maximumZoom
    self.maximumRawZoom = maximumRawZoom
  }
}
