/// What kind of file a photo is (`AVFileType`).
public enum PhotoFileType: String, CaseIterable, Hashable, Sendable {
  /// A baseline JPEG.
  case jpeg
  /// A PNG of 8 bits a channel: nothing is lost of the picture that the node makes of the frame.
  case png
  /// The samples of a sensor behind a Bayer filter, as they are, with what a raw converter needs to know of them. `AVCapturePhoto` with a
  /// `rawPhotoPixelFormatType`.
  case dng
  /// The camera's bytes as they are. ``FrameInfo`` describes them.
  case raw

  /// "image/jpeg"
  public var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .dng: "image/x-adobe-dng"
    case .raw: "application/octet-stream"
    }
  }

  /// How the names of such files end, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// Whether it has the sensor's samples: it cannot be scaled, cropped or turned.
  public var isRaw: Bool { self == .dng || self == .raw }
}
