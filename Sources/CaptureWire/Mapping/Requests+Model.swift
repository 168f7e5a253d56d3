public import CaptureModel

extension SubscribeRequest {
  /// Throws `invalidArgument` for a request that no camera could serve.
  public func model() throws(CaptureError) -> VideoRequest {
    let encoding: VideoRequest.Encoding
    switch self.encoding {
    case .unspecified, .jpeg: encoding = .jpeg
    case .raw: encoding = .raw
    default:
      throw CaptureError(
        .invalidArgument, "an encoding of \(self.encoding.rawValue) is not known here",
        .init(.valueNotPossible, field: "encoding", asked: .number(Double(self.encoding.rawValue))))
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
  /// Throws `invalidArgument` for a request that no camera could serve.
  public func model() throws(CaptureError) -> VideoRequest {
    let request = VideoRequest(
      size: size?.model, quality: quality == 0 ? nil : Int(quality), subsampling: try subsampling.model(),
      isChecked: !unchecked, allowsNoSignal: allowNoSignal,
      settling: settle.map { .milliseconds(Int64($0.longestMs)) })
    try request.validate()
    return request
  }
}

extension SubscribeRequest {
  /// Whether the request names a session's output instead of a camera. Throws `invalidArgument` where it names both.
  public func isOfSession() throws(CaptureError) -> Bool {
    try namesSession(camera, session, output)
  }
}

extension CapturePhotoRequest {
  /// Whether the request names a session's output instead of a camera. Throws `invalidArgument` where it names both.
  public func isOfSession() throws(CaptureError) -> Bool {
    try namesSession(camera, session, output)
  }
}

private func namesSession(_ camera: String, _ session: String, _ output: String) throws(CaptureError) -> Bool
{
  guard !session.isEmpty else {
    if output.isEmpty { return false }
    throw CaptureError(
      .invalidArgument, "an output is named, \(output.quoted), and no session",
      .init(.valueMissing, field: "session"))
  }
  guard camera.isEmpty else {
    throw CaptureError(
      .invalidArgument,
      "a camera is named, \(camera.quoted), and a session, \(session.quoted); name one of them",
      .init(.fieldsExclusive, field: "session", asked: .text(session)))
  }
  return true
}
