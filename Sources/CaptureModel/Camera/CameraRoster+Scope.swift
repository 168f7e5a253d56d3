extension CameraRoster {
  /// The cameras as a caller sees them who sees only those of `scope`. They are numbered from 0 without gaps, since a gap would reveal another
  /// camera.
  package func seen(by scope: CameraScope) -> CameraRoster {
    if scope.isEvery { return self }
    var seen = CameraRoster()
    for entry in entries where scope.contains(entry.description.id) {
      seen.entries.append(entry.numbered(seen.entries.count))
    }
    return seen
  }

  /// An event as such a caller sees it; `nil`: the caller does not see it.
  package func seen(_ event: Event, by scope: CameraScope) -> Event? {
    guard !scope.isEvery, let camera = event.camera else { return event }
    guard scope.contains(camera.description.id) else { return nil }
    let before = entries.prefix(camera.index).count { scope.contains($0.description.id) }
    return Event(kind: event.kind, camera: camera.numbered(before))
  }
}

extension CameraRoster.Entry {
  fileprivate func numbered(_ index: Int) -> Self {
    var entry = Self(index: index, description: description, isPresent: isPresent, response: response)
    entry.isCapturingPhoto = isCapturingPhoto
    return entry
  }
}
