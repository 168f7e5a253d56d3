public import CaptureModel

extension SubscribeRequest {
  package init(device: String, _ request: VideoRequest) {
    self.init(device: device, rendition: Rendition(request), rate: request.rate ?? 0)
  }

  /// Throws `invalidArgument` for a request that no camera could serve.
  public func model() throws(CaptureError) -> VideoRequest {
    do throws(CaptureError) {
      var request = try (rendition ?? Rendition()).model()
      request.rate = rate == 0 ? nil : rate
      try request.validate()
      return request
    } catch {
      throw error.ofRendition(at: Self.renditionPath)
    }
  }

  /// The place of the rendition in the request.
  package static let renditionPath = "rendition"

  /// Whether the request names a session's output instead of a device. Throws `invalidArgument` where it names both.
  public func isOfSession() throws(CaptureError) -> Bool {
    try namesSession(device, session, output)
  }
}

/// Throws `invalidArgument` where a request names both a device and a session, or an output and no session.
func namesSession(_ device: String, _ session: String, _ output: String) throws(CaptureError) -> Bool {
  guard !session.isEmpty else {
    if output.isEmpty { return false }
    throw CaptureError(
      .invalidArgument, "an output is named, \(output.quoted), and no session",
      .init(.valueMissing, field: "session"))
  }
  guard device.isEmpty else {
    throw CaptureError(
      .invalidArgument,
      "a camera is named, \(device.quoted), and a session, \(session.quoted); name one of them",
      .init(.fieldsExclusive, field: "session", asked: .text(session)))
  }
  return true
}
