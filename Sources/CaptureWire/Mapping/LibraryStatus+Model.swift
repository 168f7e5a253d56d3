package import CaptureModel

extension LibraryStatus {
  package init(_ status: CaptureModel.LibraryStatus) {
    self.init(
      state: State(status.state), reason: status.reason, library: status.id, root: status.root,
      assets: status.assets, bytes: status.bytes, quotaBytes: status.quota ?? 0,
      maximumAgeDays: UInt32(clamping: status.maximumAge ?? 0), freeBytes: status.free,
      freeBytesFloor: status.freeFloor, removesOldest: status.removesOldest,
      reconciling: status.isReconciling, recovered: status.recovered, lost: status.lost,
      setAside: status.setAside, oldestUtcNs: status.oldest ?? 0, newestUtcNs: status.newest ?? 0,
      token: status.token)
  }

  package var model: CaptureModel.LibraryStatus {
    var status = CaptureModel.LibraryStatus(state.known ?? .unknown)
    (status.reason, status.id, status.root, status.token) = (reason, library, root, token)
    (status.assets, status.bytes) = (assets, bytes)
    status.quota = quotaBytes == 0 ? nil : quotaBytes
    status.maximumAge = maximumAgeDays == 0 ? nil : Int(maximumAgeDays)
    (status.free, status.freeFloor, status.removesOldest) = (freeBytes, freeBytesFloor, removesOldest)
    (status.isReconciling, status.recovered, status.lost) = (reconciling, recovered, lost)
    status.setAside = setAside
    status.oldest = oldestUtcNs == 0 ? nil : oldestUtcNs
    status.newest = newestUtcNs == 0 ? nil : newestUtcNs
    return status
  }
}

/// The model's last state stands for those that this version does not know.
extension LibraryStatus.State: NumberedOnWire { package typealias Model = CaptureModel.LibraryStatus.State }

extension LibraryAuthorization {
  package init(_ authorization: CaptureModel.LibraryAuthorization) {
    self.init(
      add: LibraryPermission(authorization.add), read: LibraryPermission(authorization.read),
      remove: LibraryPermission(authorization.delete))
  }

  package var model: CaptureModel.LibraryAuthorization {
    .init(
      add: add.known ?? .unknown, read: read.known ?? .unknown, delete: remove.known ?? .unknown)
  }
}

/// The model's last answer stands for those that this version does not know.
extension LibraryPermission: NumberedOnWire {
  package typealias Model = CaptureModel.LibraryAuthorization.Status
}
