public import CaptureModel

extension SubscribeRequest {
  /// Throws `invalidArgument` for what no camera could do.
  public func model() throws(CaptureError) -> VideoRequest {
    let encoding: VideoRequest.Encoding
    switch self.encoding {
    case .unspecified, .jpeg: encoding = .jpeg
    case .raw: encoding = .raw
    default:
      throw CaptureError(.invalidArgument, "an encoding of \(self.encoding.rawValue) is not known here")
    }
    let request = VideoRequest(
      encoding: encoding, pixelFormat: pixelFormat == 0 ? nil : PixelFormat(rawValue: pixelFormat),
      size: size?.model, rate: rate == 0 ? nil : rate, quality: quality == 0 ? nil : Int(quality),
      subsampling: try subsampling.model())
    try request.validate()
    return request
  }
}

extension CapturePhotoRequest {
  /// Throws `invalidArgument` for what no camera could do.
  public func model() throws(CaptureError) -> VideoRequest {
    let request = VideoRequest(
      size: size?.model, quality: quality == 0 ? nil : Int(quality), subsampling: try subsampling.model())
    try request.validate()
    return request
  }
}
