public import CaptureModel
internal import CaptureWire

/// Live frames of a session's output, or of a camera alone (`AVCaptureVideoDataOutput`).
public struct VideoOutput: Sendable {
  let node: RemoteNode
  let origin: PictureOrigin
  /// Whether the origin names its camera by the identity that the node has told.
  private let isIdentified: Bool

  /// The video output of any origin. ``Camera/videoOutput`` and ``Session/videoOutput`` are the usual ones. This makes no call.
  public init(_ origin: PictureOrigin, of node: RemoteNode) {
    self.init(origin, of: node, isIdentified: false)
  }

  init(_ origin: PictureOrigin, of node: RemoteNode, isIdentified: Bool) {
    (self.origin, self.node, self.isIdentified) = (origin, node, isIdentified)
  }

  /// Live frames. The subscription begins when the stream is first read.
  ///
  /// Where the output is of a camera alone, the first subscriber determines the camera's format. A later subscriber that asks for more is refused
  /// with `failedPrecondition`, which names the format and its holder. A request with properties of photos (flash, settling, checks, metadata) is
  /// refused with `invalidArgument`. In a session the stream continues when the session changes its camera or format, and waits while the session
  /// does not run.
  public func frames(
    _ request: VideoRequest = VideoRequest(), options: StreamOptions = StreamOptions()
  ) -> FrameStream {
    var message = SubscribeRequest(device: origin.camera, request)
    (message.session, message.output) = (origin.session, origin.output)
    let refusal = refusal { () throws(CaptureError) in
      do throws(CaptureError) {
        try request.validate()
        try request.requireNoPhoto()
      } catch {
        throw error.ofRendition(at: SubscribeRequest.renditionPath)
      }
      try options.validate()
    }
    return FrameStream(
      FrameSource(
        message, of: origin.reference(isIdentified: isIdentified), refusal: refusal, on: node,
        options: options))
  }

  /// Live frames in a format (`AVCaptureVideoDataOutput.videoSettings`). `size`: exactly that size; `gravity` says how a picture of another shape
  /// fills it. `rate`: frames a second, 0.001 to 1,000.
  public func frames(
    format: FrameFormat, size: FrameSize? = nil, gravity: CaptureModel.VideoGravity? = nil,
    rate: Double? = nil, options: StreamOptions = StreamOptions()
  ) -> FrameStream {
    frames(
      VideoRequest(
        encoding: format == .jpeg ? .jpeg : .raw, pixelFormat: format.pixelFormat, size: size,
        gravity: gravity,
        rate: rate),
      options: options)
  }
}

extension VideoRequest {
  /// Throws `invalidArgument` for what only a photo can have.
  fileprivate func requireNoPhoto() throws(CaptureError) {
    // Each property's name, its field in the photo settings of a request, and whether the request has it.
    let properties = [
      ("flash", "flash", flash != nil), ("settling", "settle", settling != nil),
      ("isChecked", "unchecked", !isChecked), ("allowsNoSignal", "allow_no_signal", allowsNoSignal),
      ("tags", "tags", !tags.isEmpty), ("shot", "shot", shot != nil),
      ("sequence", "sequence", sequence != nil), ("hasMetadata", "without_metadata", !hasMetadata),
    ]
    guard let (name, field, _) = properties.first(where: \.2) else { return }
    throw CaptureError(
      .invalidArgument, "frames have no \(name), which is for photos; leave it out",
      .init(.valueNotPossible, field: field))
  }
}

extension StreamOptions {
  fileprivate func validate() throws(CaptureError) {
    guard !(1...1_000 ~= window) else { return }
    throw CaptureError(
      .invalidArgument, "a window of \(window) frames is not possible; it goes from 1 to 1000",
      .init(.valueOutOfRange, field: "window", asked: .number(Double(window)), range: .init(1, 1_000)))
  }
}

/// The form in which frames come.
public enum FrameFormat: Hashable, Sendable {
  /// The camera's own JPEG where it gives that, otherwise the node's.
  case jpeg
  /// The camera's own bytes.
  case raw
  /// `kCVPixelFormatType_32BGRA`
  case bgra
  /// `kCVPixelFormatType_24RGB`
  case rgb24
  /// `kCVPixelFormatType_420YpCbCr8BiPlanar…`
  case nv12
  /// `kCVPixelFormatType_420YpCbCr8Planar`
  case i420
  /// `kCVPixelFormatType_OneComponent8`
  case grey

  var pixelFormat: PixelFormat? {
    switch self {
    case .jpeg, .raw: nil
    case .bgra: PixelTarget.bgra.pixelFormat
    case .rgb24: PixelTarget.rgb24.pixelFormat
    case .nv12: PixelTarget.nv12.pixelFormat
    case .i420: PixelTarget.i420.pixelFormat
    case .grey: PixelTarget.grey.pixelFormat
    }
  }
}

extension Camera {
  /// Live frames of this camera alone, without a session of one's own.
  public var videoOutput: VideoOutput {
    VideoOutput(.camera(name), of: node, isIdentified: info != nil)
  }
  /// Photos of this camera alone, without a session of one's own.
  public var photoOutput: PhotoOutput {
    PhotoOutput(.camera(name), of: node, isIdentified: info != nil)
  }
}
