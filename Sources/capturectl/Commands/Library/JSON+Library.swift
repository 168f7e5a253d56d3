import CaptureClient

extension JSON {
  init(_ asset: LibraryAsset) {
    self = [
      "id": .string(asset.id), "media": .string(asset.media.rawValue),
      "origin": .string(asset.origin.rawValue),
      "resources": .array(asset.resources.map { JSON($0) }), "camera": JSON(asset.camera?.rawValue),
      "sequence": .string(asset.sequence), "shot": .string(asset.shot),
      "labels": .array(asset.labels.map { .string($0) }), "added_by": .string(asset.addedBy),
      "created_ns": JSON(asset.created), "added_ns": JSON(asset.added), "clock": "UTC",
      "size": asset.size.map { JSON($0) } ?? .null, "revision": JSON(asset.revision),
      "metadata": asset.metadata.map { JSON($0) } ?? .null, "info": asset.info.map { JSON($0) } ?? .null,
    ]
  }

  private init(_ resource: LibraryResource) {
    self = [
      "media_type": .string(resource.mediaType), "bytes": JSON(resource.bytes),
      "sha256": JSON(resource.sha256.map { hexadecimal($0) }), "file": .string(resource.file),
    ]
  }

  init(_ status: LibraryStatus, _ authorization: LibraryAuthorization) {
    let state =
      switch status.state {
      case .notConfigured: "not configured"
      case let state: state.rawValue
      }
    self = [
      "state": .string(state), "reason": .string(status.reason), "id": .string(status.id),
      "root": .string(status.root), "assets": JSON(status.assets), "bytes": JSON(status.bytes),
      "quota_bytes": status.quota.map { JSON($0) } ?? .null,
      "maximum_age_days": status.maximumAge.map { JSON($0) } ?? .null, "free_bytes": JSON(status.free),
      "free_bytes_floor": JSON(status.freeFloor), "removes_oldest": .bool(status.removesOldest),
      "reconciling": .bool(status.isReconciling), "recovered": JSON(status.recovered),
      "lost": JSON(status.lost), "set_aside": JSON(status.setAside),
      "oldest_ns": status.oldest.map { JSON($0) } ?? .null,
      "newest_ns": status.newest.map { JSON($0) } ?? .null, "clock": "UTC", "token": .string(status.token),
      "authorization": [
        "add": .string(authorization.add.rawValue), "read": .string(authorization.read.rawValue),
        "delete": .string(authorization.delete.rawValue),
      ],
    ]
  }
}
