public import CaptureModel

/// The cameras of a scope, as a caller with this scope sees them.
extension CaptureEngine {
  /// The cameras by index, including unplugged ones.
  public nonisolated func cameras(among scope: CameraScope) -> [CameraRoster.Entry] {
    roster.seen(by: scope).entries
  }

  /// Every camera with its device.
  public nonisolated func all(among scope: CameraScope) -> [(entry: CameraRoster.Entry, device: Device)] {
    let seen = all.filter { scope.contains($0.device.id) }
    return Array(zip(cameras(among: scope), seen.map(\.device)))
  }

  /// An event as a caller of that scope sees it; `nil`: the caller does not see it.
  public nonisolated func seen(_ event: CameraRoster.Event, among scope: CameraScope) -> CameraRoster.Event? {
    scope.isEvery ? event : roster.seen(event, by: scope)
  }
}
