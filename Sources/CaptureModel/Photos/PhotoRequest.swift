/// A client's request for a photo (`AVCapturePhotoSettings`): one exposure, of which one or several files are made.
public struct PhotoRequest: Hashable, Sendable {
  /// The part of the request that concerns the frame, whatever files are made of it: settling, flash, checks and metadata.
  public var frame: VideoRequest
  /// At least one, each type once.
  public var formats: [PhotoFormat]
  /// A small JPEG within the EXIF: the largest of the photo's shape that fits into this, up to ``largestThumbnail``; `nil`: none.
  public var thumbnail: FrameSize?
  /// A JPEG that is sent before the photo: the largest of the photo's shape that fits into this; `nil`: none.
  public var preview: FrameSize?
  /// How the photo is turned and mirrored, in place of a session's connection and of the formats' pictures; `nil`: these decide.
  public var orientation: PictureTransform?
  /// `nil`: lossless where that is possible, else encoded.
  public var orientationMethod: OrientationMethod?
  /// What becomes of a stream that is smaller than the photo; `nil`: it is not disturbed.
  public var fullSize: FullSize?
  /// The client's own name for this request: a later request with the same name gives the same photo. `nil`: every request takes a photo.
  public var id: String?

  /// The largest size of a thumbnail.
  public static let largestThumbnail = FrameSize(width: 160, height: 160)

  /// The most bytes of an ``id``.
  public static let longestID = 128

  /// A photo in one format, by the encoding of `frame`.
  public init(_ frame: VideoRequest) { self.init(frame, formats: [PhotoFormat(of: frame)]) }

  public init(_ frame: VideoRequest, formats: [PhotoFormat]) {
    (self.frame, self.formats) = (frame, formats)
  }

  /// The format that says most about the camera's stream: a DNG needs a Bayer sensor, raw bytes may name their format, and the largest of the other
  /// files needs at least as large a stream as the rest.
  public var leading: PhotoFormat {
    func demand(_ format: PhotoFormat) -> Int {
      switch format.type {
      case .dng: 3
      case .raw: 2
      case .png, .jpeg: format.picture.size == nil ? 1 : 0
      }
    }
    return formats.max {
      (demand($0), $0.picture.size?.area ?? 0) < (demand($1), $1.picture.size?.area ?? 0)
    }!
  }

  /// Throws `invalidArgument` for a request that no camera could serve.
  public func validate() throws(CaptureError) {
    try frame.validate()
    try validateSmallPictures()
    try validateOrientation()
    try validateMetadata()
    if fullSize == .switch, let flash = frame.flash, flash != .off {
      throw CaptureError(
        .invalidArgument,
        "the exposure is held while the camera is switched to its full size, so this photo has no flash; leave out one of both",
        .init(.fieldsExclusive, field: "settings.flash", asked: .text("\(flash)")))
    }
    if let id, !(1...Self.longestID ~= id.utf8.count) {
      throw CaptureError(
        .invalidArgument, "an id of \(id.utf8.count) bytes is not possible; it has 1 to \(Self.longestID)",
        .init(
          .valueOutOfRange, field: "settings.request_id", asked: .number(Double(id.utf8.count)),
          range: .init(1, Double(Self.longestID))))
    }
    var seen: Set<PhotoFileType> = []
    for (index, format) in formats.enumerated() {
      guard seen.insert(format.type).inserted else {
        throw CaptureError(
          .invalidArgument, "a photo has one file of each type, and \(format.type.rawValue) comes twice",
          .init(
            .valueNotPossible, field: "settings.formats[\(index)].type", asked: .text(format.type.rawValue)))
      }
      do throws(CaptureError) { try format.validate() } catch {
        throw formats == [PhotoFormat(of: frame)]
          ? error : error.below("settings.formats[\(index)].rendition")
      }
    }
  }
}

extension PhotoRequest {
  private func validateSmallPictures() throws(CaptureError) {
    let most = Self.largestThumbnail
    if let thumbnail, !(1...most.width ~= thumbnail.width && 1...most.height ~= thumbnail.height) {
      throw CaptureError(
        .invalidArgument, "a thumbnail of \(thumbnail) is not possible; it is at most \(most)",
        .init(
          .valueOutOfRange, field: "settings.thumbnail", asked: .text("\(thumbnail)"),
          range: .init(1, Double(most.width))))
    }
    if let preview, !(1...65_535 ~= preview.width && 1...65_535 ~= preview.height) {
      throw CaptureError(
        .invalidArgument, "a preview of \(preview) is not possible; both sides go from 1 to 65535",
        .init(
          .valueOutOfRange, field: "settings.preview", asked: .text("\(preview)"), range: .init(1, 65_535)))
    }
    guard frame.hasMetadata || thumbnail == nil else {
      throw CaptureError(
        .invalidArgument, "a thumbnail is a part of the metadata; leave out one of both",
        .init(.fieldsExclusive, field: "settings.thumbnail"))
    }
  }

  /// Throws `invalidArgument` for texts or a thumbnail if all files are bare bytes, which have no place for these.
  private func validateMetadata() throws(CaptureError) {
    guard formats.allSatisfy({ $0.type == .raw }) else { return }
    let asked =
      !frame.tags.isEmpty ? "tags" : frame.shot != nil ? "shot" : thumbnail != nil ? "thumbnail" : nil
    guard let asked else { return }
    throw CaptureError(
      .invalidArgument,
      "raw bytes have no metadata, so the \(asked) would have no place; leave it out, or take a JPEG, a PNG or a DNG too",
      .init(.fieldsExclusive, field: "settings.\(asked)"))
  }

  private func validateOrientation() throws(CaptureError) {
    func refuse(_ text: String, _ field: String) -> CaptureError {
      CaptureError(.invalidArgument, text, .init(.fieldsExclusive, field: field))
    }
    if orientation != nil, formats.allSatisfy({ $0.type == .raw }) {
      throw refuse(
        "raw bytes are as the camera gives them, so the photo's orientation would have no effect; leave it out, take another file too, or turn a rendition of the raw file",
        "settings.orientation")
    }
    if orientationMethod != nil, formats.allSatisfy(\.type.isRaw) {
      throw refuse(
        "only a JPEG and a PNG can be turned in one way or another; leave the method out, or take one of these",
        "settings.orientation_method")
    }
    if orientationMethod == .flag, !frame.hasMetadata {
      throw refuse(
        "the flag that turns a photo is in its metadata, and this photo is to have none",
        "settings.orientation_method")
    }
    let isEncoded = formats.contains { $0.type == .jpeg && $0.picture.requiresEncoding }
    if orientationMethod == .lossless, isEncoded {
      throw refuse(
        "a JPEG that is turned without loss keeps its quality and subsampling; leave these out",
        "settings.orientation_method")
    }
    let isTurned = ([frame] + formats.map(\.picture)).contains {
      $0.transform.orientation != .upright || $0.transform.isMirrored
    }
    if orientation != nil, isTurned {
      throw refuse(
        "the photo's own orientation replaces that of its renditions; leave out one of both",
        "settings.orientation")
    }
  }

  /// The same request in terms of the camera's own pictures: each format's transform then includes that of `connection` (`identity`: there is none)
  /// and the photo's own orientation.
  public func seen(through connection: PictureTransform) -> PhotoRequest {
    var (request, base) = (self, connection)
    if let orientation {
      base = PictureTransform(crop: connection.crop)
      for index in formats.indices {
        request.formats[index].picture.transform.orientation = orientation.orientation
        request.formats[index].picture.transform.isMirrored = orientation.isMirrored
      }
      request.orientation = nil
    }
    for index in formats.indices {
      var transform = base.then(request.formats[index].picture.transform)
      // A DNG is of the whole sensor, and bare bytes are as the camera gives them unless their own picture says otherwise.
      switch formats[index].type {
      case .dng: transform.crop = .full
      case .raw where orientation != nil: transform = formats[index].picture.transform
      default: break
      }
      request.formats[index].picture.transform = transform
    }
    return request
  }
}

extension PhotoFormat {
  fileprivate func validate() throws(CaptureError) {
    try picture.validate()
    guard type == .dng else { return }
    let refused: String? =
      picture.size != nil ? "size" : picture.transform.crop != .full ? "crop" : nil
    guard let refused else { return }
    throw CaptureError(
      .invalidArgument,
      "a DNG has the sensor's samples as they are; its \(refused) cannot be chosen: leave it out, or take a JPEG or a PNG beside it",
      .init(.valueNotPossible, field: refused))
  }
}
