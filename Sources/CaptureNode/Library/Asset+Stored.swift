import CaptureLibrary
import CaptureModel
import CaptureSystem
import CaptureWire

extension Asset {
  init(_ asset: StoredAsset) {
    self.init(
      id: asset.id.text, media: AssetMediaType(rawValue: asset.media.rawValue),
      resources: asset.resources.indices.map { AssetResource(asset.resources[$0], $0, of: asset.id) },
      metadata: asset.metadata.isEmpty
        ? nil : try? CaptureWire.PhotoMetadata(RawMessage(body: asset.metadata)),
      device: asset.device, sequence: asset.sequence, shot: asset.shot, labels: asset.labels,
      addedBy: asset.addedBy, revision: asset.revision, createdUtcNs: asset.created, addedUtcNs: asset.added,
      size: asset.size.map { Size($0) }, origin: CaptureWire.AssetOrigin(rawValue: asset.origin.rawValue),
      info: asset.info.isEmpty ? nil : try? CaptureWire.FrameInfo(RawMessage(body: asset.info)))
  }
}

extension AssetResource {
  init(_ resource: StoredResource, _ place: Int, of asset: AssetID) {
    self.init(
      mediaType: resource.type.rawValue, bytes: UInt64(resource.bytes), sha256: resource.sha256 ?? [],
      file: asset.path(place, resource.type))
  }
}

extension CaptureWire.AssetFilter {
  /// Throws `invalidArgument` for a filter that no asset could have.
  func model(within scope: AssetScope) throws(CaptureError) -> CaptureLibrary.AssetFilter {
    var filter = CaptureLibrary.AssetFilter()
    filter.device = device.isEmpty ? nil : device
    filter.from = fromUtcNs == 0 ? nil : fromUtcNs
    filter.until = untilUtcNs == 0 ? nil : untilUtcNs
    filter.labels = Array(Set(labels))
    filter.sequence = sequence.isEmpty ? nil : sequence
    filter.scope = scope
    if media != .unspecified {
      guard let known = AssetMedia(rawValue: media.rawValue) else {
        throw CaptureError(
          .invalidArgument, "the library knows no media type \(media.rawValue)",
          .init(
            .valueNotPossible, field: "filter.media", asked: .number(Double(media.rawValue)),
            possible: ["IMAGE", "VIDEO", "AUDIO"]))
      }
      filter.media = known
    }
    if let from = filter.from, let until = filter.until, until <= from {
      throw CaptureError(
        .invalidArgument, "the filter ends before it begins",
        .init(.valueOutOfRange, field: "filter.until_utc_ns"))
    }
    return filter
  }
}

extension CaptureLibrary.NewAsset {
  /// Throws `invalidArgument` for what no asset can have.
  init(_ asset: CaptureWire.NewAsset, of context: CallContext) throws(CaptureError) {
    guard asset.device.isEmpty || context.caller.cameras.contains(camera: asset.device) else {
      throw CaptureError(
        .permissionDenied,
        "this client may add pictures of its own cameras, and of none; \(asset.device.quoted) is not among them",
        .init(.notAuthorized, field: "asset.device", asked: .text(asset.device)))
    }
    self.init(.uploaded)
    (device, sequence, shot, labels) = (asset.device, asset.sequence, asset.shot, asset.labels)
    addedBy = context.owner
    for (text, field) in [(device, "device"), (sequence, "sequence"), (shot, "shot")]
    where text.utf8.count > Self.longestText {
      throw CaptureError(
        .invalidArgument, "the \(field) \(text.quoted) is longer than \(Self.longestText) bytes",
        .init(
          .valueOutOfRange, field: "asset.\(field)", asked: .number(Double(text.utf8.count)),
          range: .init(0, Double(Self.longestText))))
    }
    for label in labels { try AssetLabel.validate(label, field: "asset.labels") }
    guard Set(labels).count <= AssetLabel.most else {
      throw NodeLimit.labelsPerAsset.exceeded("the asset would have \(labels.count) labels")
    }
    guard asset.createdUtcNs != 0 else { return }
    guard (1...Self.latest).contains(asset.createdUtcNs) else {
      throw CaptureError(
        .invalidArgument, "an asset's time is one from 1970 to 2262, in nanoseconds since 1970",
        .init(
          .valueOutOfRange, field: "asset.created_utc_ns", asked: .number(Double(asset.createdUtcNs)),
          range: .init(1, Double(Self.latest))))
    }
    created = asset.createdUtcNs
  }

  private static let longestText = 256
  /// The end of 2261: beyond lies no time that 64 bits can hold.
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
