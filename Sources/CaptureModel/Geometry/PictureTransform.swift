/// The steps from a camera's picture to the delivered one: cut out a part, turn it clockwise, then mirror it left to right (`AVCaptureConnection`'s
/// orientation, mirroring and scale-and-crop factor; digital zoom).
public struct PictureTransform: Hashable, Sendable {
  /// The part of the camera's picture that is kept.
  public var crop: NormalizedRect
  /// How far the picture is turned, after cropping.
  public var orientation: Orientation
  /// Whether the picture is mirrored left to right, as the viewer sees it, after turning.
  public var isMirrored: Bool

  public init(crop: NormalizedRect = .full, orientation: Orientation = .upright, isMirrored: Bool = false) {
    self.crop = crop
    self.orientation = orientation
    self.isMirrored = isMirrored
  }

  /// Keeps the middle of the picture, one `factor`th as wide and as high (`videoScaleAndCropFactor`, `videoZoomFactor`).
  ///
  /// Throws `invalidArgument` unless `factor` is from 1 to ``maximumCropFactor``.
  public init(
    cropFactor factor: Double, orientation: Orientation = .upright, isMirrored: Bool = false
  ) throws(CaptureError) {
    guard (1...Self.maximumCropFactor).contains(factor) else {
      throw CaptureError(
        .invalidArgument,
        "a crop factor of \(factor) is not possible; it goes from 1 to \(Self.maximumCropFactor)",
        .init(
          .valueOutOfRange, field: "crop_factor", asked: .number(factor),
          range: .init(1, Double(Self.maximumCropFactor))))
    }
    let margin = (1 - 1 / factor) / 2
    self.init(
      crop: NormalizedRect(left: margin, top: margin, right: 1 - margin, bottom: 1 - margin),
      orientation: orientation, isMirrored: isMirrored)
  }

  /// The part of the sensor's frame that a zoom by `factor`, 1 or more, leaves, whether the driver or the node zooms. There is no upper limit, since
  /// that of a driver is not known here.
  public static func zoomed(_ factor: Double) -> PictureTransform {
    guard factor > 1, factor.isFinite else { return .identity }
    let margin = (1 - 1 / factor) / 2
    return PictureTransform(
      crop: NormalizedRect(left: margin, top: margin, right: 1 - margin, bottom: 1 - margin))
  }

  /// The largest factor that ``init(cropFactor:orientation:isMirrored:)`` accepts.
  public static let maximumCropFactor = 16.0

  /// Leaves the picture as it is.
  public static let identity = PictureTransform()

  /// Whether it leaves the picture as it is.
  public var isIdentity: Bool { self == .identity }

  /// One transform that does this one, and then `next` on its result.
  public func then(_ next: PictureTransform) -> PictureTransform {
    PictureTransform(
      crop: deviceRect(forPictureRect: next.crop),
      // Mirroring and then turning equals turning the other way and then mirroring.
      orientation: orientation + (isMirrored ? next.orientation.inverse : next.orientation),
      isMirrored: isMirrored != next.isMirrored)
  }
}
