public import CaptureModel

/// An asset as the index has it (`PHAsset`).
public struct StoredAsset: Hashable, Sendable {
  public var id: AssetID
  public var media: AssetMedia
  public var origin: AssetOrigin
  /// The first is the one to show.
  public var resources: [StoredResource]
  /// The camera's identity; empty: not known.
  public var device: String
  /// The name of the sequence that the asset belongs to; empty: none.
  public var sequence: String
  /// The common name of photos that belong together; empty: none. It comes from the photo's request, from a timelapse, or from the client that adds
  /// the asset.
  public var shot: String
  /// Sorted.
  public var labels: [String]
  /// The client that added the asset; empty: somebody on the node's machine.
  public var addedBy: String
  /// When the picture was taken: nanoseconds since 1970 in UTC.
  public var created: Int64
  /// When the asset was added: nanoseconds since 1970 in UTC.
  public var added: Int64
  /// The picture's size in the first resource; `nil`: not known.
  public var size: FrameSize?
  /// The photo's metadata as the bytes of its message in the contract; empty: none.
  public var metadata: [UInt8]
  /// The description of the photo's frame as the bytes of its message in the contract; empty: none.
  public var info: [UInt8]
  /// The number of its latest change.
  public var revision: UInt64 = 0
  /// The number of the change that added it.
  public var addedRevision: UInt64 = 0

  public init(
    id: AssetID, media: AssetMedia = .image, origin: AssetOrigin, resources: [StoredResource],
    device: String = "", sequence: String = "", shot: String = "", labels: [String] = [],
    addedBy: String = "", created: Int64, added: Int64, size: FrameSize? = nil, metadata: [UInt8] = [],
    info: [UInt8] = []
  ) {
    (self.id, self.media, self.origin, self.resources) = (id, media, origin, resources)
    (self.device, self.sequence, self.shot, self.labels) = (device, sequence, shot, labels)
    (self.addedBy, self.created, self.added) = (addedBy, created, added)
    (self.size, self.metadata, self.info) = (size, metadata, info)
  }

  /// The bytes of all its files.
  public var bytes: Int64 { resources.reduce(0) { $0 + $1.bytes } }
}

/// A file of an asset (`PHAssetResource`).
public struct StoredResource: Hashable, Sendable {
  public var type: ResourceType
  public var bytes: Int64
  /// 32 bytes; `nil`: not known yet.
  public var sha256: [UInt8]?

  public init(_ type: ResourceType, bytes: Int64, sha256: [UInt8]?) {
    (self.type, self.bytes, self.sha256) = (type, bytes, sha256)
  }
}

/// The assets that a caller asks for. A condition that is `nil` or empty does not count.
public struct AssetFilter: Hashable, Sendable {
  public var device: String?
  /// Only assets that were created then or later: nanoseconds since 1970 in UTC.
  public var from: Int64?
  /// Only assets that were created before that.
  public var until: Int64?
  /// The asset has all of these labels.
  public var labels: [String] = []
  public var media: AssetMedia?
  public var sequence: String?
  /// Only assets that the caller may see.
  public var scope = AssetScope()

  public init() {}

  /// Whether an asset meets all conditions.
  func matches(_ asset: StoredAsset) -> Bool {
    (device == nil || device == asset.device) && (from.map { asset.created >= $0 } ?? true)
      && (until.map { asset.created < $0 } ?? true) && labels.allSatisfy(asset.labels.contains)
      && (media == nil || media == asset.media) && (sequence == nil || sequence == asset.sequence)
      && scope.contains(asset)
  }
}

/// A label of an asset.
public enum AssetLabel {
  /// Assets with this label are removed only by a client's call, never for their age or for room.
  public static let keep = "keep"
  /// The most labels of an asset.
  public static let most = 32
  /// The longest label in bytes of UTF-8.
  public static let longest = 64

  /// Throws `invalidArgument` for a text that is no label.
  public static func validate(_ label: String, field: String) throws(CaptureError) {
    guard (1...longest).contains(label.utf8.count) else {
      throw CaptureError(
        .invalidArgument, "the label \(label.quoted) has \(label.utf8.count) bytes; one has 1 to \(longest)",
        .init(
          .valueOutOfRange, field: field, asked: .number(Double(label.utf8.count)),
          range: .init(1, Double(longest))))
    }
    guard label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw CaptureError(
        .invalidArgument, "the label \(label.quoted) has a control character; a label has none",
        .init(.valueNotPossible, field: field, asked: .text(label)))
    }
  }
}
