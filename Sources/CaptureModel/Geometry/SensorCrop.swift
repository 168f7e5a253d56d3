/// The part of a sensor from which its driver makes the picture (`VIDIOC_G_SELECTION`), in the sensor's pixels.
public struct SensorCrop: Hashable, Sendable {
  /// The part that is used by default: `V4L2_SEL_TGT_CROP_DEFAULT`.
  public var whole: PixelArea
  /// The part that is used now: `V4L2_SEL_TGT_CROP`.
  public var area: PixelArea

  public init(whole: PixelArea, area: PixelArea) {
    (self.whole, self.area) = (whole, area)
  }

  /// How many times larger things are in the picture than with the whole sensor; as a rule 1 or more.
  public var factor: Double { Double(whole.width) / Double(max(area.width, 1)) }

  /// The part in the middle of ``whole`` that magnifies by `factor`, to the nearest pixel. A driver may change that part.
  public func area(magnifying factor: Double) -> PixelArea {
    func length(_ whole: Int) -> Int { min(max(Int((Double(whole) / factor).rounded()), 1), whole) }
    let (width, height) = (length(whole.width), length(whole.height))
    return PixelArea(
      x: whole.x + (whole.width - width) / 2, y: whole.y + (whole.height - height) / 2, width: width,
      height: height)
  }
}
