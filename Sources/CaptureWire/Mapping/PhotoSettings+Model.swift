public import CaptureModel

extension CapturePhotoRequest {
  package init(device: String, _ request: VideoRequest) {
    self.init(device: device, settings: PhotoSettings(request))
  }

  /// Throws `invalidArgument` for a request that no camera could serve.
  public func model() throws(CaptureError) -> VideoRequest {
    do throws(CaptureError) { return try (settings ?? PhotoSettings()).model() } catch {
      throw error.ofRendition(at: Self.renditionPath)
    }
  }

  /// The place of the rendition in the request.
  package static let renditionPath = "settings.rendition"

  /// Whether the request names a session's output instead of a device. Throws `invalidArgument` where it names both.
  public func isOfSession() throws(CaptureError) -> Bool {
    try namesSession(device, session, output)
  }
}

extension PhotoSettings {
  package init(_ request: VideoRequest) {
    self.init(
      rendition: Rendition(request), settle: request.settling.map { SettlingBound($0) },
      flash: LightMode(request.flash), unchecked: !request.isChecked, allowNoSignal: request.allowsNoSignal,
      tags: PhotoTag.list(request.tags), withoutMetadata: !request.hasMetadata)
  }

  fileprivate func model() throws(CaptureError) -> VideoRequest {
    var request = try (rendition ?? Rendition()).model()
    guard request.encoding == .jpeg else {
      throw CaptureError(
        .invalidArgument, "a photo is a JPEG; raw frames come as live frames only",
        .init(.valueNotPossible, field: "encoding", asked: "raw", possible: ["jpeg"]))
    }
    request.isChecked = !unchecked
    request.allowsNoSignal = allowNoSignal
    request.settling = settle.map { .milliseconds(Int64($0.longestMs)) }
    request.flash = try flash.model("flash mode", "settings.flash")
    request.tags = try PhotoTag.model(tags)
    request.hasMetadata = !withoutMetadata
    try request.validate()
    return request
  }
}

extension SettlingBound {
  /// Part of a millisecond is one: nothing that is waited for becomes none.
  fileprivate init(_ bound: Duration) {
    self.init(longestMs: UInt32(clamping: Int64((bound / .milliseconds(1)).rounded(.up))))
  }
}
