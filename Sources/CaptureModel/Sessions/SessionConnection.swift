/// The way from an input to an output, and what happens to pictures on it. `AVCaptureConnection`.
public struct SessionConnection: Hashable, Sendable {
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

  public static let orientations = [0, 90, 180, 270]
  public static let cropFactors = 1.0...16.0

  /// Throws `invalidArgument` for what no picture can be made of.
  func validate() throws(CaptureError) {
    guard Self.orientations.contains(orientation) else {
      throw CaptureError(
        .invalidArgument,
        "an orientation of \(orientation) is not possible; it is 0, 90, 180 or 270 degrees clockwise")
    }
    guard Self.cropFactors.contains(cropFactor) else {
      throw CaptureError(
        .invalidArgument, "a crop factor of \(cropFactor) is not possible; it goes from 1 to 16")
    }
  }
}
