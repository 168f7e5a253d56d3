import CaptureModel

extension DeviceController {
  /// Settings as they are, then every change of one of `names`, until the watch is let go. Names are settings ("exposure.duration"), groups of them
  /// ("exposure") or controls; none: all. Throws `notFound` for a name that nothing has.
  public func watchSettings(_ names: [String]) async throws(CaptureError) -> SettingsWatch {
    let camera = try presentCamera()
    let known = try await knownControls(of: camera)
    var wanted: Set<SettingsKey> = []
    for name in names {
      let settings = Setting.allCases.filter { $0.matches(name) }
      wanted.formUnion(settings.map { .setting($0) })
      if settings.isEmpty {
        let control = try ControlTable(camera: self.name, known.list).find(name)
        wanted.insert(known.map.setting(of: control.id).map { .setting($0) } ?? .control(control.id))
      }
    }
    let watch = SettingsWatch { [wanted] key in
      wanted.isEmpty || wanted.contains(key)
    } ended: { [weak self] in
      self?.enqueue { $0.meterForWatches() }
    }
    settingsState.watches.append(watch)
    meterForWatches()
    readMovingValues()
    return watch
  }

  func tell(_ news: SettingsNews) {
    guard !news.keys.isEmpty else { return }
    settingsState.watches.removeAll(where: \.isOver)
    for watch in settingsState.watches { watch.tell(news) }
  }

  func endWatches(_ error: CaptureError) {
    for watch in settingsState.watches { watch.end(error) }
    settingsState.watches = []
  }

  /// Changes hold from some frame on.
  func applied(_ changes: [FrameTimeline.Applied]) {
    for change in changes {
      let found = settingsState.found.removeValue(forKey: change.finding)
      guard let keys = found ?? settingsState.keys.removeValue(forKey: change.change) else { continue }
      tell(
        SettingsNews(keys: keys, change: change.change, frame: change.frame, provenance: change.provenance))
    }
  }

  // MARK: Changes that others make

  /// The camera or another program changed a control, at `time` (`CLOCK_MONOTONIC` nanoseconds).
  func controlChanged(_ change: ControlChange, at time: UInt64, of camera: any Camera) {
    guard self.camera === camera, settingsState.known != nil else { return }
    settingsState.known?.note(change)
    let isFirst = settingsState.events.isEmpty
    settingsState.events[change.id] = time
    if isFirst { Task { await refresh(camera) } }
  }

  /// Reads again what may have changed with a control. Takes its turn, so that it sees no change half done.
  private func refresh(_ camera: any Camera) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    guard self.camera === camera else { return }
    let events = settingsState.events
    settingsState.events = [:]
    do throws(CaptureError) {
      var known = try await knownControls(of: camera)
      known.relist(try await camera.controls())
      try await read(known.map.ids, into: &known, from: camera)
      _ = keep(known, of: camera, events: events)
    } catch {
      settingsState.known = nil
      tell(
        SettingsNews(
          keys: Set(events.keys.map { .control($0) }), change: 0, frame: nil, provenance: .unknown))
    }
  }

  /// How far the exposure is off is measured while somebody watches that and frames come.
  func meterForWatches() {
    settingsState.watches.removeAll(where: \.isOver)
    let isWatched = settingsState.watches.contains { $0.watches(.setting(.exposureTargetOffset)) }
    settingsState.software?.meter(stream != nil && isWatched)
    softwareChanged()
  }
}

extension CameraSettings {
  /// Settings that are not the same in another state.
  func differences(from other: CameraSettings) -> Set<SettingsKey> {
    var keys: Set<SettingsKey> = []
    // A change is of few groups as a rule.
    for group in Self.groups where !group.isSame(self, other) {
      for setting in group.settings where !isSame(setting, as: other) { keys.insert(.setting(setting)) }
    }
    return keys
  }

  private struct Group: Sendable {
    var settings: [Setting]
    var isSame: @Sendable (CameraSettings, CameraSettings) -> Bool

    init(_ name: String, _ isSame: @escaping @Sendable (CameraSettings, CameraSettings) -> Bool) {
      settings = Setting.allCases.filter { $0.group == name }
      self.isSame = isSame
    }
  }

  private static let groups = [
    Group("focus") { $0.focus == $1.focus },
    Group("exposure") { $0.exposure == $1.exposure },
    Group("white_balance") { $0.whiteBalance == $1.whiteBalance },
    Group("zoom") { $0.zoom == $1.zoom },
    Group("torch") { $0.torch == $1.torch },
    Group("flash") { $0.flash == $1.flash },
    Group("frame_duration") { $0.frameDuration == $1.frameDuration },
  ]
}
