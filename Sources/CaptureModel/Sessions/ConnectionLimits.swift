/// What a connection of a session can do with the pictures of its input's present format (`AVCaptureConnection`).
public struct ConnectionLimits: Hashable, Sendable {
  /// The name of the output to which the connection leads.
  public var output: String
  /// How far pictures can be turned (`isVideoOrientationSupported`).
  public var orientations: [Orientation]
  /// Whether pictures can be mirrored (`isVideoMirroringSupported`).
  public var isMirroringSupported: Bool
  /// The largest ``SessionConnection/cropFactor``, 1 or more; 1: pictures cannot be cropped (`videoMaxScaleAndCropFactor`).
  public var maximumCropFactor: Double

  public init(
    output: String, orientations: [Orientation], isMirroringSupported: Bool, maximumCropFactor: Double
  ) {
    self.output = output
    self.orientations = orientations
    self.isMirroringSupported = isMirroringSupported
    self.maximumCropFactor = maximumCropFactor
  }

  /// The limits of a way to `output` for pictures of `size`. `isEncodable`: JPEGs and converted pictures can be made of them. `isTurnable`: raw
  /// pictures can be turned and cropped. That counts for live frames alone: of a photo's files only JPEG and PNG are turned and cropped, and those
  /// are encoded. A crop keeps at least two pixels each way, since two pixels may share their chroma.
  public init(
    to output: SessionConfiguration.Output, size: FrameSize, isEncodable: Bool, isTurnable: Bool
  ) {
    let canChange = isEncodable || output.kind.takesRawPictures && isTurnable
    let most = Double(min(size.width, size.height)) / 2
    self.init(
      output: output.name, orientations: canChange ? Orientation.allCases : [.upright],
      isMirroringSupported: canChange,
      maximumCropFactor: canChange ? max(1, min(most, SessionConnection.cropFactors.upperBound)) : 1)
  }
}
