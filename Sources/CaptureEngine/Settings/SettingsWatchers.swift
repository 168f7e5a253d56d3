import CaptureModel

/// Who watches a device's settings.
final class SettingsWatchers {
  private let all = WatchList<SettingsWatch>()
  /// Of those, who watches how far the exposure is off.
  private let metering = WatchList<SettingsWatch>()

  var isEmpty: Bool { all.isEmpty }
  /// Somebody watches how far the exposure is off.
  var isMetering: Bool { !metering.isEmpty }

  func requireRoom(of camera: String) throws(CaptureError) {
    let count = all.count
    guard count >= NodeLimit.settingsWatchesPerCamera.usual else { return }
    throw NodeLimit.settingsWatchesPerCamera.exceeded(
      "\(count) clients watch the settings of \(camera), and no more may; one of them has to end")
  }

  /// Watches these settings and controls, all where there are none. `unmetered` hears, on any thread, that one who watched how far the exposure is off
  /// has gone.
  func add(_ wanted: Set<SettingsKey>, unmetered: @escaping @Sendable () -> Void) -> SettingsWatch {
    let controls = wanted.compactMap { if case .control(let id) = $0 { id } else { nil } }
    let isMetering = wanted.isEmpty || wanted.contains(.setting(.exposureTargetOffset))
    let watch = SettingsWatch(controls: controls.sorted { $0.rawValue < $1.rawValue }) { key in
      wanted.isEmpty || wanted.contains(key)
    } ended: { [weak all, weak metering] watch in
      all?.remove(watch)
      guard isMetering else { return }
      metering?.remove(watch)
      unmetered()
    }
    all.add(watch)
    if isMetering { metering.add(watch) }
    return watch
  }

  func tell(_ news: SettingsNews) {
    guard !news.keys.isEmpty else { return }
    for watch in all.listening { watch.tell(news) }
  }

  func end(_ error: CaptureError) {
    for watch in all.listening { watch.end(error) }
  }
}
