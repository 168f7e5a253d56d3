import CaptureModel

/// A driver that focuses once says with a control that it is still at it (`V4L2_CID_AUTO_FOCUS_STATUS`), and with no event that it is done.
extension DeviceController {
  private static let searchPause = Duration.milliseconds(100)

  /// Looks until a search is over, so that watchers hear of its end.
  func followSearch(of camera: any Camera) {
    guard !settingsState.isFollowingSearch, let known = settingsState.known,
      known.map.isSearching(known.numbers)
    else { return }
    settingsState.isFollowingSearch = true
    Task {
      repeat { try? await Task.sleep(for: Self.searchPause) } while await lookAtSearch(of: camera)
    }
  }

  /// Whether it goes on. Takes its turn, so that it sees no change half done.
  private func lookAtSearch(of camera: any Camera) async -> Bool {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    var known = settingsState.known
    do throws(CaptureError) {
      // Not after the node's end.
      _ = try presentCamera()
      if var now = known {
        try await read([.autoFocusStatus], into: &now, from: camera)
        if !now.map.isSearching(now.numbers) { try await read(now.map.ids, into: &now, from: camera) }
        known = now
      }
    } catch {
      known = nil
    }
    guard let known, self.camera === camera else {
      settingsState.isFollowingSearch = false
      return false
    }
    _ = keep(known, of: camera)
    settingsState.isFollowingSearch = known.map.isSearching(known.numbers)
    return settingsState.isFollowingSearch
  }
}
