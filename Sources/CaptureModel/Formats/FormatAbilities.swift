/// What can be done with a camera's frames in one pixel format. Abilities that are not listed here are the same in every format.
public struct FormatAbilities: Hashable, Sendable {
  /// Whether frames can be delivered as JPEG.
  public var isAvailableAsJPEG: Bool
  /// Which part of the software makes JPEGs of the frames; `nil`: none.
  public var jpegConversion: JPEGConversion?
  /// The formats into which frames can be converted (`availableVideoPixelFormatTypes`).
  public var targets: [PixelTarget]
  /// Whether raw frames can be cropped, turned and mirrored.
  public var isTurnable: Bool
  /// Whether frames can be measured for the node's own modes of focus, exposure and white balance.
  public var isMeasurable: Bool
  /// The largest zoom factor that shows in JPEGs and converted frames, 1 or more (`videoMaxZoomFactor`); `nil`: unknown.
  public var maximumZoom: Double?
  /// The largest zoom factor that shows in raw frames as the camera gives them, 1 or more; `nil`: unknown.
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
