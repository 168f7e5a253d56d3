/// The way from an input to an output, and what happens to pictures on it (`AVCaptureConnection`).
public struct SessionConnection: Hashable, Sendable, Codable {
  /// The input's camera; empty: the first input.
  public var camera: String
  /// The name of the output.
  public var output: String
  /// Degrees clockwise: 0, 90, 180 or 270.
  public var orientation: Int
  /// Whether the picture is mirrored left to right, after the rotation.
  public var isMirrored: Bool
  /// `false`: the output gets no frames.
  public var isEnabled: Bool
  /// How far the picture is enlarged about its centre and cropped, 1 to 16 (`videoScaleAndCropFactor`).
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

  /// The range of ``cropFactor``.
  public static let cropFactors = 1.0...PictureTransform.maximumCropFactor

  /// The transform that the connection applies to each picture. Throws `invalidArgument` for values that allow no picture.
  public var transform: PictureTransform {
    get throws(CaptureError) {
      try PictureTransform(
        cropFactor: cropFactor, orientation: Orientation(degrees: orientation), isMirrored: isMirrored)
    }
  }
}
