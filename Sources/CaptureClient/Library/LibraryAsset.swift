public import CaptureModel
public import CaptureSystem
internal import CaptureWire

/// A picture in a node's library. `PHAsset`.
public struct LibraryAsset: Hashable, Sendable, Identifiable {
  /// "20261125-081502-123-9f86d081": its time in UTC, and chance.
  public var id: String
  /// What it is.
  public var media: MediaKind
  /// How it came into the library.
  public var origin: Origin
  /// Its files; the first is the one to show.
  public var resources: [LibraryResource]
  /// The camera's identity; `nil`: not known.
  public var camera: CameraID?
  /// The name of those that were taken together, such as a timelapse's; empty: none.
  public var sequence: String
  /// What its adder calls the exposure.
  public var shot: String
  /// Sorted.
  public var labels: [String]
  /// According to access control: a client's name, or "user 1000" of the node's machine. Empty: nobody knows.
  public var addedBy: String
  /// When it was taken, in nanoseconds since 1970 in UTC. `creationDate`.
  public var created: Int64
  /// When it was added, in nanoseconds since 1970 in UTC.
  public var added: Int64
  /// The picture's size in the first resource; `nil`: not known.
  public var size: FrameSize?
  /// What is written into it; `nil`: the node did not take it.
  public var metadata: CaptureModel.PhotoMetadata?
  /// The frame of which it is made; `nil`: the node did not take it.
  public var info: CaptureModel.FrameInfo?
  /// The number of its latest change. It rises over all assets.
  public var revision: UInt64

  /// `PHAssetMediaType`.
  public enum MediaKind: String, Hashable, Sendable {
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
  public enum Origin: String, Hashable, Sendable {
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

  init(_ asset: Asset) {
    (id, sequence, shot, labels) = (asset.id, asset.sequence, asset.shot, asset.labels)
    media =
      switch asset.media {
      case .image: .image
      case .video: .video
      case .audio: .audio
      default: .unknown
      }
    origin =
      switch asset.origin {
      case .captured: .captured
      case .uploaded: .uploaded
      case .recovered: .recovered
      default: .unknown
      }
    resources = asset.resources.map { LibraryResource($0) }
    camera = asset.device.isEmpty ? nil : CameraID(rawValue: asset.device)
    (addedBy, created, added) = (asset.addedBy, asset.createdUtcNs, asset.addedUtcNs)
    size = asset.size?.model
    metadata = asset.metadata?.values
    info = asset.info?.model
    revision = asset.revision
  }
}

/// A file of an asset. `PHAssetResource`.
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

  init(_ resource: AssetResource) {
    (mediaType, bytes, file) = (resource.mediaType, resource.bytes, resource.file)
    sha256 = resource.sha256.isEmpty ? nil : resource.sha256
  }
}

/// A small JPEG of an asset.
public struct LibraryThumbnail: Sendable {
  /// The asset's name.
  public var asset: String
  /// `nil`: there is none of this asset.
  public var jpeg: Payload?
  /// The size of the JPEG; `nil`: there is none.
  public var size: FrameSize?
}

/// Which assets are meant; what is `nil` or empty is not asked.
public struct LibraryFilter: Hashable, Sendable {
  /// The camera's identity.
  public var camera: CameraID?
  /// Created then or later: nanoseconds since 1970 in UTC.
  public var from: Int64?
  /// Created before: nanoseconds since 1970 in UTC.
  public var until: Int64?
  /// All of them.
  public var labels: [String] = []
  /// `nil`: of any kind.
  public var media: LibraryAsset.MediaKind?
  /// Those that were taken together, such as a timelapse's.
  public var sequence: String?

  public init() {}

  var message: AssetFilter {
    let kind: AssetMediaType =
      switch media {
      case .image: .image
      case .video: .video
      case .audio: .audio
      case .unknown, nil: .unspecified
      }
    return AssetFilter(
      device: camera?.rawValue ?? "", fromUtcNs: from ?? 0, untilUtcNs: until ?? 0, labels: labels,
      media: kind, sequence: sequence ?? "")
  }
}
