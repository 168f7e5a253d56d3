/// A picture in a node's library (`PHAsset`).
public struct LibraryAsset: Hashable, Sendable, Identifiable {
  /// "20261125-081502-123-9f86d081": its time in UTC, and eight random digits.
  public var id: String
  /// What it is.
  public var media: MediaKind
  /// How it came into the library.
  public var origin: Origin
  /// Its files; the first is the one to show.
  public var resources: [LibraryResource]
  /// The camera's identity; `nil`: not known.
  public var camera: CameraID?
  /// The name of the sequence to which the asset belongs, such as a timelapse's; empty: none.
  public var sequence = ""
  /// The common name of photos that belong together (`ShotName`); empty: none.
  public var shot = ""
  /// Its labels, sorted.
  public var labels: [String] = []
  /// Who added it, according to access control: a client's name, or "user 1000" of the node's machine. Empty: nobody knows.
  public var addedBy = ""
  /// When it was taken, in nanoseconds since 1970 in UTC (`creationDate`).
  public var created: Int64
  /// When it was added, in nanoseconds since 1970 in UTC.
  public var added: Int64
  /// The picture's size in the first resource; `nil`: not known.
  public var size: FrameSize?
  /// The metadata that is written into it; `nil`: the node did not take it.
  public var metadata: PhotoMetadata?
  /// The frame of which it is made; `nil`: the node did not take it.
  public var info: FrameInfo?
  /// The number of its latest change. Each change of any asset of the library gets a higher number.
  public var revision: UInt64 = 0

  /// `PHAssetMediaType`.
  public enum MediaKind: String, CaseIterable, Hashable, Sendable {
    /// A photo.
    case image
    /// A movie.
    case video
    /// Sound alone.
    case audio
    /// A newer node has more kinds.
    case unknown
  }

  /// How an asset came into the library.
  public enum Origin: String, CaseIterable, Hashable, Sendable {
    /// The node took it.
    case captured
    /// A client added it.
    case uploaded
    /// The node found its file.
    case recovered
    /// A newer node has more ways.
    case unknown
  }

  /// The bytes of all its files.
  public var bytes: UInt64 { resources.reduce(0) { $0 &+ $1.bytes } }

  package init(
    id: String, media: MediaKind, origin: Origin, resources: [LibraryResource], created: Int64, added: Int64
  ) {
    (self.id, self.media, self.origin, self.resources) = (id, media, origin, resources)
    (self.created, self.added) = (created, added)
  }
}

/// A file of an asset (`PHAssetResource`).
public struct LibraryResource: Hashable, Sendable {
  /// "image/jpeg", "image/png", "image/x-adobe-dng"
  public var mediaType: String
  /// Its size in bytes.
  public var bytes: UInt64
  /// 32 bytes; `nil`: not known yet.
  public var sha256: [UInt8]?
  /// Where the node has it, below the library's root: "2026/11/25/20261125-081502-123-9f86d081.jpg".
  public var file: String

  /// The file's name alone.
  public var name: String { file.split(separator: "/").last.map(String.init) ?? file }

  package init(mediaType: String, bytes: UInt64, sha256: [UInt8]?, file: String) {
    (self.mediaType, self.bytes, self.sha256, self.file) = (mediaType, bytes, sha256, file)
  }
}
