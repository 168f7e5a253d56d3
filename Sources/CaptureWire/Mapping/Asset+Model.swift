package import CaptureModel

extension Asset {
  /// `metadata`, `info`: the encoded messages as they were stored, since a newer node may have written them; empty: nothing is known.
  package init(_ asset: LibraryAsset, metadata: [UInt8], info: [UInt8]) {
    self.init(
      id: asset.id, media: AssetMediaType(asset.media), resources: asset.resources.map { AssetResource($0) },
      metadata: metadata.isEmpty ? nil : try? PhotoMetadata(RawMessage(body: metadata)),
      device: asset.camera?.rawValue ?? "", sequence: asset.sequence, shot: asset.shot, labels: asset.labels,
      addedBy: asset.addedBy, revision: asset.revision, createdUtcNs: asset.created,
      addedUtcNs: asset.added, size: asset.size.map { Size($0) }, origin: AssetOrigin(asset.origin),
      info: info.isEmpty ? nil : try? FrameInfo(RawMessage(body: info)))
  }

  package var model: LibraryAsset {
    var asset = LibraryAsset(
      id: id, media: media.known ?? .unknown, origin: origin.known ?? .unknown,
      resources: resources.map(\.model), created: createdUtcNs, added: addedUtcNs)
    (asset.sequence, asset.shot, asset.labels) = (sequence, shot, labels)
    asset.camera = device.isEmpty ? nil : CameraID(rawValue: device)
    (asset.addedBy, asset.revision) = (addedBy, revision)
    (asset.size, asset.metadata, asset.info) = (size?.model, metadata?.values, info?.model)
    return asset
  }
}

/// The last case of each model stands for what this version does not know.
extension AssetMediaType: NumberedOnWire { package typealias Model = LibraryAsset.MediaKind }
extension AssetOrigin: NumberedOnWire { package typealias Model = LibraryAsset.Origin }

extension AssetResource {
  package init(_ resource: LibraryResource) {
    self.init(
      mediaType: resource.mediaType, bytes: resource.bytes, sha256: resource.sha256 ?? [], file: resource.file
    )
  }

  package var model: LibraryResource {
    LibraryResource(mediaType: mediaType, bytes: bytes, sha256: sha256.isEmpty ? nil : sha256, file: file)
  }
}
