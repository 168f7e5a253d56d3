public import CaptureModel

extension CapturePhotoRequest {
  package init(device: String, _ request: PhotoRequest) {
    self.init(device: device, settings: PhotoSettings(request))
  }

  /// Throws `invalidArgument` for a request that no camera could serve.
  public func model() throws(CaptureError) -> PhotoRequest {
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
  package init(_ request: PhotoRequest) {
    let frame = request.frame
    self.init(
      rendition: Rendition(frame), settle: frame.settling.map { SettlingBound($0) },
      flash: LightMode(frame.flash), unchecked: !frame.isChecked, allowNoSignal: frame.allowsNoSignal,
      tags: PhotoTag.list(frame.tags), withoutMetadata: !frame.hasMetadata,
      formats: request.formats == PhotoRequest(frame).formats
        ? [] : request.formats.map { PhotoFormat($0, common: frame) },
      thumbnail: request.thumbnail.map { Size($0) }, preview: request.preview.map { Size($0) },
      requestID: request.id ?? "",
      orientation: request.orientation.map { PhotoOrientation($0) },
      orientationMethod: OrientationMethod(request.orientationMethod), shot: frame.shot ?? "",
      fullSize: FullSize(request.fullSize))
  }

  fileprivate func model() throws(CaptureError) -> PhotoRequest {
    var request = try (rendition ?? Rendition()).model()
    guard request.encoding == .jpeg else {
      throw CaptureError(
        .invalidArgument, "without formats a photo is a JPEG; for raw bytes name RAW in formats",
        .init(.valueNotPossible, field: "encoding", asked: "raw", possible: ["jpeg"]))
    }
    request.isChecked = !unchecked
    request.allowsNoSignal = allowNoSignal
    request.settling = settle.map { .milliseconds(Int64($0.longestMs)) }
    request.flash = try flash.model("flash mode", "settings.flash")
    request.tags = try PhotoTag.model(tags)
    request.hasMetadata = !withoutMetadata
    request.shot = shot.isEmpty ? nil : shot
    var photo = PhotoRequest(request)
    if !formats.isEmpty {
      guard formats.count <= CaptureModel.PhotoFileType.allCases.count else {
        throw CaptureError(
          .invalidArgument, "a photo has one file of each type, and \(formats.count) were asked for",
          .init(.valueNotPossible, field: "settings.formats"))
      }
      photo.formats = []
      for (index, format) in formats.enumerated() {
        do throws(CaptureError) { photo.formats.append(try format.model(rendition ?? Rendition())) } catch {
          throw error.below("settings.formats[\(index)]")
        }
      }
      try requireUse(of: rendition ?? Rendition())
    }
    (photo.thumbnail, photo.preview) = (thumbnail?.model, preview?.model)
    photo.id = requestID.isEmpty ? nil : requestID
    photo.orientation = try orientation?.model()
    photo.orientationMethod = try orientationMethod.model(
      "an orientation method of", "settings.orientation_method")
    photo.fullSize = try fullSize.model("a way to the full size of", "settings.full_size")
    try photo.validate()
    return photo
  }
}

extension PhotoSettings {
  /// Throws `invalidArgument` if the common rendition has a field that none of the files can use.
  private func requireUse(of common: Rendition) throws(CaptureError) {
    let users = formats.filter { $0.rendition == nil && !$0.type.isRaw }
    var unused = users.contains { $0.type != .png } ? [] : common.encoderFields
    if users.isEmpty { unused += common.pictureFields }
    guard let field = unused.first else { return }
    let why =
      if !users.isEmpty { "a PNG has no \(field)" } else if formats.allSatisfy(\.type.isRaw) {
        "a DNG and raw bytes have the camera's picture as it is, so the \(field) would have no effect"
      } else { "each of the files has a rendition of its own, so the common \(field) would have no effect" }
    throw CaptureError(
      .invalidArgument, "\(why); leave it out, or take a JPEG too",
      .init(.fieldsExclusive, field: "\(CapturePhotoRequest.renditionPath).\(field)"))
  }
}

extension PhotoFileType {
  fileprivate var isRaw: Bool { self == .dng || self == .raw }
}

extension Rendition {
  /// The names of the fields that say something about a JPEG's bytes.
  fileprivate var encoderFields: [String] {
    (quality != 0 ? ["quality"] : []) + (subsampling != .unspecified ? ["subsampling"] : [])
  }

  /// The names of the fields that say something about the picture, whatever its file.
  fileprivate var pictureFields: [String] {
    [
      ("size", size != nil), ("gravity", gravity != .unspecified), ("crop", crop != nil),
      ("orientation", orientation != 0), ("mirrored", mirrored), ("pixel_format", pixelFormat != 0),
      ("source_pixel_format", sourcePixelFormat != 0),
    ].filter(\.1).map(\.0)
  }
}

extension SettlingBound {
  /// Rounds up to whole milliseconds, so that a short wait does not become none.
  init(_ bound: Duration) {
    self.init(longestMs: UInt32(clamping: Int64((bound / .milliseconds(1)).rounded(.up))))
  }
}

extension FullSize: NumberedOnWire { package typealias Model = CaptureModel.FullSize }
