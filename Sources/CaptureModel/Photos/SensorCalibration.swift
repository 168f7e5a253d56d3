/// What a raw converter needs to know of a camera's sensor, as the node's configuration describes it. No driver of V4L2 reports it.
public struct SensorCalibration: Hashable, Sendable {
  /// The value of a sample without light; `nil`: 0. DNG's BlackLevel.
  public var blackLevel: Int?
  /// The largest value of a sample; `nil`: the largest that the pixel format allows. DNG's WhiteLevel.
  public var whiteLevel: Int?
  /// Nine numbers, row by row, which convert XYZ to the sensor's red, green and blue, for daylight (D65); `nil`: not given. DNG's ColorMatrix1.
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
