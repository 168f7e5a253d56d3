import CaptureClient

extension LibraryAsset: JSONValue {
  var json: JSON {
    [
      "id": id, "media": media.rawValue, "origin": origin.rawValue, "resources": resources,
      "camera": camera?.rawValue, "sequence": sequence, "shot": shot, "labels": labels, "added_by": addedBy,
      "created_ns": created, "added_ns": added, "clock": "UTC", "size": size, "revision": revision,
      "metadata": metadata, "info": info,
    ]
  }
}

extension LibraryResource: JSONValue {
  var json: JSON {
    ["media_type": mediaType, "bytes": bytes, "sha256": sha256.map(\.hexDigits), "file": file]
  }
}

extension JSON {
  init(_ status: LibraryStatus, _ authorization: LibraryAuthorization) {
    let state =
      switch status.state {
      case .notConfigured: "not configured"
      case let state: state.rawValue
      }
    self = [
      "state": state, "reason": status.reason, "id": status.id, "root": status.root, "assets": status.assets,
      "bytes": status.bytes, "quota_bytes": status.quota, "maximum_age_days": status.maximumAge,
      "free_bytes": status.free, "free_bytes_floor": status.freeFloor, "removes_oldest": status.removesOldest,
      "reconciling": status.isReconciling, "recovered": status.recovered, "lost": status.lost,
      "set_aside": status.setAside, "oldest_ns": status.oldest, "newest_ns": status.newest, "clock": "UTC",
      "token": status.token,
      "authorization": [
        "add": authorization.add.rawValue, "read": authorization.read.rawValue,
        "delete": authorization.delete.rawValue,
      ] as JSON,
    ]
  }
}
