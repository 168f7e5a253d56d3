package import CaptureModel

extension Rendition {
  /// Describes the picture that `request` asks for; its rate is not part of it.
  init(_ request: VideoRequest) {
    let transform = request.transform
    self.init(
      encoding: request.encoding == .jpeg ? .jpeg : .raw,
      pixelFormat: request.encoding == .raw ? request.pixelFormat?.rawValue ?? 0 : 0,
      size: request.size.map(Size.init), gravity: VideoGravity(request.gravity),
      crop: transform.crop == .full ? nil : Region(transform.crop),
      orientation: UInt32(transform.orientation.rawValue), mirrored: transform.isMirrored,
      quality: UInt32(clamping: request.quality ?? 0), subsampling: Subsampling(request.subsampling),
      sourcePixelFormat: (request.encoding == .jpeg ? request.pixelFormat : request.sourcePixelFormat)?
        .rawValue
        ?? 0)
  }

  /// Throws `invalidArgument` for a picture that no camera could give.
  func model() throws(CaptureError) -> VideoRequest {
    let encoding = try encoding.model()
    guard encoding == .raw || pixelFormat == 0 else {
      throw CaptureError(
        .invalidArgument,
        "a JPEG has no pixel format; the camera's format from which to encode is source_pixel_format",
        .init(.fieldsExclusive, field: "pixel_format"))
    }
    let (named, source) = (PixelFormat(named: pixelFormat), PixelFormat(named: sourcePixelFormat))
    return VideoRequest(
      // Raw frames for which no format is named stay in the camera's format.
      encoding: encoding, pixelFormat: named ?? source, sourcePixelFormat: encoding == .raw ? source : nil,
      size: size?.model,
      gravity: try gravity.model("a gravity of", "gravity"), quality: quality == 0 ? nil : Int(quality),
      subsampling: try subsampling.model(),
      transform: PictureTransform(
        crop: try crop?.model("crop") ?? .full, orientation: try Orientation(degrees: Int(orientation)),
        isMirrored: mirrored))
  }
}

extension PixelFormat {
  /// `nil` for 0, which names no format.
  fileprivate init?(named code: UInt32) {
    guard code != 0 else { return nil }
    self.init(rawValue: code)
  }
}

extension VideoGravity: NumberedOnWire { package typealias Model = CaptureModel.VideoGravity }

extension Encoding {
  /// Unspecified means JPEG. Throws `invalidArgument` for a number that this version does not know.
  fileprivate func model() throws(CaptureError) -> VideoRequest.Encoding {
    switch self {
    case .unspecified, .jpeg: return .jpeg
    case .raw: return .raw
    default:
      throw CaptureError(
        .invalidArgument, "an encoding of \(rawValue) is not known here",
        .init(.valueNotPossible, field: "encoding", asked: .number(Double(rawValue))))
    }
  }
}

extension Subsampling {
  init(_ subsampling: ChromaSubsampling?) {
    switch subsampling {
    case nil: self = .unspecified
    case .s422: self = .subsampling422
    case .s420: self = .subsampling420
    }
  }

  /// `nil`: the node's choice. Throws `invalidArgument` for a number that this version does not know.
  func model() throws(CaptureError) -> ChromaSubsampling? {
    switch self {
    case .unspecified: return nil
    case .subsampling422: return .s422
    case .subsampling420: return .s420
    default:
      throw CaptureError(
        .invalidArgument, "a subsampling of \(rawValue) is not known here",
        .init(.valueNotPossible, field: "subsampling", asked: .number(Double(rawValue))))
    }
  }
}
