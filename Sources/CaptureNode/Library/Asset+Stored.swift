import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

extension StoredAsset {
  var message: Asset { Asset(LibraryAsset(self), metadata: metadata, info: info) }
}

extension LibraryAsset {
  fileprivate init(_ stored: StoredAsset) {
    self.init(
      id: stored.id.text, media: .init(stored.media), origin: .init(stored.origin),
      resources: stored.resources.indices.map { LibraryResource(stored.resources[$0], $0, of: stored.id) },
      created: stored.created, added: stored.added)
    (sequence, shot, labels) = (stored.sequence, stored.shot, stored.labels)
    camera = stored.device.isEmpty ? nil : CameraID(rawValue: stored.device)
    (addedBy, revision, size) = (stored.addedBy, stored.revision, stored.size)
  }
}

extension LibraryAsset.MediaKind {
  fileprivate init(_ media: AssetMedia) {
    self =
      switch media {
      case .image: .image
      case .video: .video
      case .audio: .audio
      }
  }
}

extension LibraryAsset.Origin {
  fileprivate init(_ origin: CaptureLibrary.AssetOrigin) {
    self =
      switch origin {
      case .captured: .captured
      case .uploaded: .uploaded
      case .recovered: .recovered
      }
  }
}

extension LibraryResource {
  init(_ resource: StoredResource, _ place: Int, of asset: AssetID) {
    self.init(
      mediaType: resource.type.rawValue, bytes: UInt64(resource.bytes), sha256: resource.sha256,
      file: asset.path(place, resource.type))
  }
}

extension CaptureLibrary.AssetFilter {
  /// Throws `invalidArgument` for a filter with a text that no asset can have.
  init(_ filter: LibraryFilter, within scope: AssetScope) throws(CaptureError) {
    self.init()
    (device, from, until) = (filter.camera?.rawValue, filter.from, filter.until)
    (sequence, self.scope) = (filter.sequence, scope)
    for (text, field) in [(device, "device"), (sequence, "sequence")] {
      try CaptureLibrary.NewAsset.validate(text ?? "", field, of: "filter")
    }
    labels = try Self.validated(filter.labels)
    media =
      switch filter.media {
      case .image: .image
      case .video: .video
      case .audio: .audio
      case .unknown, nil: nil
      }
  }

  private static func validated(_ labels: [String]) throws(CaptureError) -> [String] {
    let wanted = Set(labels)
    guard wanted.count <= AssetLabel.most else {
      throw CaptureError(
        .invalidArgument,
        "the filter wants assets with \(wanted.count) labels; an asset has at most \(AssetLabel.most)",
        .init(
          .valueOutOfRange, field: "filter.labels", asked: .number(Double(wanted.count)),
          range: .init(0, Double(AssetLabel.most))))
    }
    for label in wanted { try AssetLabel.validate(label, field: "filter.labels") }
    // Without duplicates this is the list of the request itself, so that a watch, which keeps its request, keeps no second list.
    return wanted.count == labels.count ? labels : Array(wanted)
  }
}

extension CaptureLibrary.NewAsset {
  /// Throws `invalidArgument` for values that no asset can have, and `permissionDenied` for a camera that is none of the caller's.
  init(_ asset: NewLibraryAsset, of context: CallContext) throws(CaptureError) {
    let camera = asset.camera?.rawValue ?? ""
    guard camera.isEmpty || context.caller.cameras.contains(camera: camera) else {
      throw CaptureError(
        .permissionDenied,
        "this client may add pictures of its own cameras, and of none; \(camera.quoted) is not among them",
        .init(.notAuthorized, field: "asset.device", asked: .text(camera)))
    }
    self.init(.uploaded)
    (device, sequence, shot, labels) = (camera, asset.sequence, asset.shot, asset.labels)
    addedBy = context.owner
    for (text, field) in [(device, "device"), (sequence, "sequence"), (shot, "shot")] {
      try Self.validate(text, field, of: "asset")
    }
    for label in labels { try AssetLabel.validate(label, field: "asset.labels") }
    guard Set(labels).count <= AssetLabel.most else {
      throw NodeLimit.labelsPerAsset.exceeded("the asset would have \(labels.count) labels")
    }
    created = asset.created
    if let created, !(1...Self.latest).contains(created) {
      throw CaptureError(
        .invalidArgument,
        "an asset's time is in nanoseconds since 1970, from 1 to \(Self.latest), which is the beginning of 2262",

        .init(
          .valueOutOfRange, field: "asset.created_utc_ns", asked: .number(Double(created)),
          range: .init(1, Double(Self.latest))))
    }
  }

  /// Throws `invalidArgument` for a text that is longer than a text of an asset may be. `message`: the message that has the field.
  fileprivate static func validate(_ text: String, _ field: String, of message: String) throws(CaptureError) {
    guard text.utf8.count > longestText else { return }
    throw CaptureError(
      .invalidArgument, "the \(field) \(text.quoted) is longer than \(longestText) bytes",
      .init(
        .valueOutOfRange, field: "\(message).\(field)", asked: .number(Double(text.utf8.count)),
        range: .init(0, Double(longestText))))
  }

  private static let longestText = 256
  /// The beginning of 2262, in nanoseconds since 1970: 2261 is the last year whose times all fit in 64 bits.
  private static let latest: Int64 = 9_214_646_400_000_000_000
}

extension ResourceType {
  /// Throws `invalidArgument`, which lists the types.
  init(mediaType: String) throws(CaptureError) {
    guard let type = ResourceType(rawValue: mediaType) else {
      let possible = Self.allCases.map(\.rawValue)
      throw CaptureError(
        .invalidArgument,
        "the library keeps no \(mediaType.quoted); it keeps \(possible.joined(separator: ", "))",
        .init(
          .valueNotPossible, field: "resource.media_type", asked: .text(mediaType), possible: possible))
    }
    self = type
  }
}
