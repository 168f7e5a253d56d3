/// The kinds of files that a library keeps.
public enum ResourceType: String, CaseIterable, Hashable, Sendable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case dng = "image/x-adobe-dng"

  /// The extension of the files' names, without the dot.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .dng: "dng"
    }
  }

  init?(fileExtension: some StringProtocol) {
    guard let type = Self.allCases.first(where: { $0.fileExtension == fileExtension }) else { return nil }
    self = type
  }

  /// The media type of an asset whose first resource has this type.
  public var media: AssetMedia { .image }
}

/// `PHAssetMediaType`. The numbers are those of the index and of the wire.
public enum AssetMedia: UInt32, Hashable, Sendable {
  case image = 1
  case video = 2
  case audio = 3
}

/// How an asset came into a library. The numbers are those of the index and of the wire.
public enum AssetOrigin: UInt32, Hashable, Sendable {
  /// The node took it.
  case captured = 1
  /// A client added it.
  case uploaded = 2
  /// The node found its file without an entry in the index.
  case recovered = 3
}
