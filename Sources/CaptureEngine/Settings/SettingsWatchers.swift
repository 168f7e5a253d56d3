import CaptureModel

/// The clients that watch a device's settings.
final class SettingsWatchers {
  private let all = WatchList<SettingsWatch>()
  /// The watches that include how far the exposure is off.
  private let metering = WatchList<SettingsWatch>()

  var isEmpty: Bool { all.isEmpty }
  /// Whether somebody watches how far the exposure is off.
  var watchesOffset: Bool { !metering.isEmpty }

  /// The controls that somebody watches by name and that are no part of the settings.
  var controls: Set<ControlID> { Set(all.listening.flatMap(\.controls)) }

  /// Throws `resourceExhausted` if no more clients may watch.
  func requireRoom(of camera: String) throws(CaptureError) {
    try all.requireRoom(within: .settingsWatchesPerCamera, of: "the settings of \(camera)")
  }

  /// Adds a watch of these settings and controls; an empty set stands for all. If it includes how far the exposure is off,
  /// `offsetWatchEnded` is called when the watch ends, on any thread.
  func add(_ wanted: Set<SettingsKey>, offsetWatchEnded: @escaping @Sendable () -> Void)
    -> SettingsWatch
  {
    let controls = wanted.compactMap { if case .control(let id) = $0 { id } else { nil } }
    let watchesOffset = wanted.isEmpty || wanted.contains(.setting(.exposureTargetOffset))
    let watch = SettingsWatch(controls: controls.sorted { $0.rawValue < $1.rawValue }) { key in
      wanted.isEmpty || wanted.contains(key)
    } ended: { [weak all, weak metering] watch in
      all?.remove(watch)
      guard watchesOffset else { return }
      metering?.remove(watch)
      offsetWatchEnded()
    }
    all.add(watch)
    if watchesOffset { metering.add(watch) }
    return watch
  }

  func notify(_ news: SettingsNews) {
    guard !news.isEmpty else { return }
    for watch in all.listening { watch.notify(news) }
  }

  func end(_ error: CaptureError) {
    for watch in all.listening { watch.end(error) }
  }
}
