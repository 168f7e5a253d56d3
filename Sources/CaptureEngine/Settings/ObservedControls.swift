import CaptureControls
import CaptureModel
import CaptureSystem

/// Follows controls that the camera, its modes or another program change: it reads them again and notifies the watchers.
final class ObservedControls {
  private unowned let settings: DeviceSettings
  private let context: DeviceContext
  private let controls: CameraControls
  /// The controls that the camera or another program has changed, and when (`CLOCK_MONOTONIC` nanoseconds). They have to be read.
  private var events: [ControlID: UInt64] = [:]
  /// Whether a task waits for the end of the driver's search for focus.
  private var isFollowingSearch = false
  /// The groups of settings that the camera's own modes moved between the latest two readings.
  private var adjusting: Set<Substring> = []
  /// The time until which the node reads nothing by itself, in `CLOCK_MONOTONIC` nanoseconds.
  private(set) var quietUntil: UInt64 = 0

  /// The pause after a reading, as a multiple of the time that the reading took. The node reads nothing by itself meanwhile.
  private static let quiet: UInt64 = 4
  private static let searchPause = Duration.milliseconds(100)

  init(_ settings: DeviceSettings, _ context: DeviceContext, _ controls: CameraControls) {
    (self.settings, self.context, self.controls) = (settings, context, controls)
  }

  func cameraAppeared(_ camera: any Camera) {
    let tasks = context.tasks
    tasks.start { _ in
      await camera.observeControls { change in
        let now = MonotonicClock.now()
        tasks.enqueue { $0.settings.observed.changed(change, at: min(change.time ?? now, now), of: camera) }
      }
    }
  }

  func cameraVanished() { events = [:] }

  /// Tells that a stream began or ended.
  func streamChanged() { adjusting = [] }

  /// Whether the camera has announced changes that are not read yet.
  var isReadingDue: Bool { !events.isEmpty }

  // MARK: Events

  /// Tells that the camera or another program changed a control at `time` (`CLOCK_MONOTONIC` nanoseconds).
  func changed(_ change: ControlChange, at time: UInt64, of camera: any Camera) {
    // While nothing is known, nothing has to be kept up to date. A first reading may have read this control already.
    guard context.camera.isPresent(camera), controls.known != nil || controls.isLoading else { return }
    controls.note(change)
    let isFirst = events.isEmpty
    events[change.id] = time
    if isFirst { context.tasks.start { await $0.settings.observed.refresh(camera) } }
  }

  /// Reads again what may have changed with a control. It takes its turn, so that it sees no change half done.
  private func refresh(_ camera: any Camera) async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard context.camera.isPresent(camera) else { return }
    let events = events
    self.events = [:]
    do throws(CaptureError) {
      var known = try await settings.known(of: camera)
      known.relist(try await controls.reader.list(of: camera))
      try await controls.readAll(into: &known, from: camera)
      settings.learn(known, of: camera, events: events)
    } catch {
      controls.forget()
      settings.watchers.notify(SettingsNews(Set(events.keys.map { .control($0) }), .unknown))
    }
  }

  // MARK: Values that move

  /// Reads the values that the camera's own modes move, while frames come and somebody looks: the driver reports these values only when it is asked
  /// (`V4L2_CTRL_FLAG_VOLATILE`). Frames do not wait for the reading: during a change, or if the camera is slow, the values in frames are unknown.
  func readMovingValues() {
    guard let camera = context.camera.present, let known = controls.known, isSeen else {
      adjusting = []
      return
    }
    guard !known.map.movingIDs.isEmpty, MonotonicClock.now() >= quietUntil else { return }
    context.tasks.start { await $0.settings.observed.readMoving(of: camera) }
  }

  /// Whether somebody takes frames, or watches settings while a stream runs.
  private var isSeen: Bool {
    guard let stream = context.stream.active else { return false }
    return !stream.hub.isIdle || !settings.watchers.isEmpty
  }

  private func readMoving(of camera: any Camera) async {
    let began = MonotonicClock.now()
    guard began >= quietUntil, let known = controls.known, context.gates.settings.tryEnter() else { return }
    defer { context.gates.settings.leave() }
    var now = known
    let isRead = (try? await controls.read(known.map.movingIDs, into: &now, from: camera)) != nil
    let ended = MonotonicClock.now()
    // The pause leaves most of the camera's time to those who ask it something.
    quietUntil = ended + Self.quiet * (ended - began)
    guard isRead, controls.known?.identity === known.identity else { return }
    adjusting = known.groupsThatMoved(until: now)
    settings.learn(now, of: camera)
  }

  /// Marks as adjusting each of the camera's own modes that moved a value between the latest two readings.
  func report(into settings: inout CameraSettings) {
    if adjusting.contains("focus"), settings.focus?.mode == .continuous { settings.focus?.isAdjusting = true }
    if adjusting.contains("exposure"), settings.exposure?.mode == .continuous {
      settings.exposure?.isAdjusting = true
    }
    if adjusting.contains("white_balance"), settings.whiteBalance?.mode == .continuous {
      settings.whiteBalance?.isAdjusting = true
    }
  }

  // MARK: The driver's search for focus

  /// Polls a driver that focuses once until its search is over, so that watchers hear of the end. A control shows whether the driver still searches
  /// (`V4L2_CID_AUTO_FOCUS_STATUS`), but no event reports the end.
  func followSearch(of camera: any Camera) {
    guard !isFollowingSearch, let known = controls.known, known.map.isSearching(known.numbers) else { return }
    isFollowingSearch = true
    context.tasks.start { device in
      repeat {
        try? await Task.sleep(for: Self.searchPause)
      } while await device.settings.observed.checkSearch(
        of: camera)
    }
  }

  /// Asks the driver whether its search goes on. It takes its turn, so that it sees no change half done.
  private func checkSearch(of camera: any Camera) async -> Bool {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    var known = controls.known
    do throws(CaptureError) {
      // This throws once the node ends.
      _ = try context.camera.required()
      if var now = known {
        try await controls.read([.autoFocusStatus], into: &now, from: camera)
        if !now.map.isSearching(now.numbers) {
          try await controls.readAll(into: &now, from: camera)
        }
        known = now
      }
    } catch {
      known = nil
    }
    guard let known, context.camera.isPresent(camera) else {
      isFollowingSearch = false
      return false
    }
    settings.learn(known, of: camera)
    isFollowingSearch = known.map.isSearching(known.numbers)
    return isFollowingSearch
  }
}

extension KnownControls {
  /// Returns the groups of settings (``Setting/group``) in which a value moved by itself, by more than a step and more than 2 %.
  fileprivate func groupsThatMoved(until later: KnownControls) -> Set<Substring> {
    var groups: Set<Substring> = []
    for id in map.movingIDs {
      guard let setting = map.setting(of: id), let former = numbers[id], let present = later.numbers[id]
      else { continue }
      let (before, now) = (Double(former), Double(present))
      let step = Double(self[id]?.step ?? 1)
      if abs(now - before) > max(step, abs(before) / 50) { groups.insert(setting.group) }
    }
    return groups
  }
}
