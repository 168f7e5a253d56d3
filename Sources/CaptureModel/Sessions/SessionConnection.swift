/// The way from an input to an output, and what happens to pictures on it. `AVCaptureConnection`.
public struct SessionConnection: Hashable, Sendable, Codable {
  /// The input's camera; empty: the first input.
  public var camera: String
  public var output: String
  /// Degrees clockwise: 0, 90, 180 or 270.
  public var orientation: Int
  /// Left to right, after the rotation.
  public var isMirrored: Bool
  /// `false`: its output gets no frames.
  public var isEnabled: Bool
  /// Scale and crop about the centre, 1 to 16 (`videoScaleAndCropFactor`).
  public var cropFactor: Double

  public init(
    camera: String = "", output: String, orientation: Int = 0, isMirrored: Bool = false,
    isEnabled: Bool = true, cropFactor: Double = 1
  ) {
    self.camera = camera
    self.output = output
    self.orientation = orientation
    self.isMirrored = isMirrored
    self.isEnabled = isEnabled
    self.cropFactor = cropFactor
  }

  /// ``cropFactor``'s range.
  public static let cropFactors = 1.0...PictureTransform.maximumCropFactor

  /// What it does to each picture. Throws `invalidArgument` for what no picture can be made of.
  public var transform: PictureTransform {
    get throws(CaptureError) {
      try PictureTransform(
        cropFactor: cropFactor, orientation: Orientation(degrees: orientation), isMirrored: isMirrored)
    }
  }
}
