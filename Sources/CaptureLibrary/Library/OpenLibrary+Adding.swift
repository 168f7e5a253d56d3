import CaptureModel

/// The assets whose files are being placed.
extension OpenLibrary {
  /// Notes an asset before its files are placed. The caller then calls ``requireMounted()``, and ``endAdding(_:)`` at last.
  func beginAdding(_ id: AssetID) {
    adding.withLock { _ = $0.insert(id) }
  }

  /// Tells that the asset has its entry, or that its files are gone.
  func endAdding(_ id: AssetID) {
    adding.withLock { adding in
      adding.remove(id)
      if adding.isEmpty, loss.withLock({ $0 != nil }) { root.unlock() }
    }
  }

  /// Lets the library be opened anew, though somebody still has this one, as for an upload that does not end. Files that are being placed are waited for:
  /// whoever opened the library before that would take them for pictures that have lost their entries.
  func giveUp(_ error: CaptureError) {
    loss.withLock { $0 = $0 ?? error }
    adding.withLock { if $0.isEmpty { root.unlock() } }
  }
}
