/// A text that a client may write into a photo (`AVCapturePhotoSettings.metadata`). The raw value is the name in EXIF.
public enum PhotoTag: String, CaseIterable, Hashable, Sendable {
  /// Who took it.
  case artist = "Artist"
  /// Who has the rights to it.
  case copyright = "Copyright"
  /// What it shows.
  case imageDescription = "ImageDescription"
  /// Anything.
  case userComment = "UserComment"
  /// Who owns the camera.
  case cameraOwnerName = "CameraOwnerName"

  /// The longest text in bytes of UTF-8. The texts of all tags together fit into one segment of a JPEG.
  public static let longest = 2_000

  /// Finds a tag by its name in EXIF. Throws `invalidArgument`, which lists the names; its field is one of the tag's own.
  public init(named name: String) throws(CaptureError) {
    guard let tag = PhotoTag(rawValue: name) else {
      throw CaptureError(
        .invalidArgument,
        "a photo has no tag \(name.quoted); there are: \(Self.names.joined(separator: ", "))",
        .init(.unknownName, field: "name", asked: .text(name), possible: Self.names))
    }
    self = tag
  }

  /// Throws `invalidArgument` for a text that the tag cannot have; its field is one of the tag's own.
  public func validate(_ text: String) throws(CaptureError) {
    let count = text.utf8.count
    guard (1...Self.longest).contains(count) else {
      throw CaptureError(
        .invalidArgument, "the text of \(rawValue) has \(count) bytes; it has 1 to \(Self.longest)",
        .init(
          .valueOutOfRange, field: "value", asked: .number(Double(count)),
          range: .init(1, Double(Self.longest))))
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw CaptureError(
        .invalidArgument, "the text of \(rawValue) has a control character; write it in one line without any",
        .init(.valueNotPossible, field: "value"))
    }
  }

  /// The names of all tags, as in EXIF.
  public static let names = allCases.map(\.rawValue)
}
