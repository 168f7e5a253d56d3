/// What a raw converter needs to know of a camera's sensor, as the node's configuration describes it. No driver of V4L2 tells of it.
public struct SensorCalibration: Hashable, Sendable {
  /// The sample of no light; `nil`: 0. DNG's BlackLevel.
  public var blackLevel: Int?
  /// The largest sample; `nil`: the largest of the pixel format. DNG's WhiteLevel.
  public var whiteLevel: Int?
  /// Nine numbers, row by row, which make the sensor's red, green and blue of XYZ, for daylight (D65); `nil`: not given. DNG's ColorMatrix1.
  public var colorMatrix: [Double]?
  /// The red, green and blue, from 0 to 1, that the sensor gives for a white thing in the photo's light; `nil`: all are 1. The camera's own white balance is
  /// already in the samples. DNG's AsShotNeutral.
  public var neutral: [Double]?

  public init(
    blackLevel: Int? = nil, whiteLevel: Int? = nil, colorMatrix: [Double]? = nil, neutral: [Double]? = nil
  ) {
    (self.blackLevel, self.whiteLevel) = (blackLevel, whiteLevel)
    (self.colorMatrix, self.neutral) = (colorMatrix, neutral)
  }
}
