import CaptureControls
import CaptureModel
import CaptureSystem

/// What the camera, its own modes or another program change: it is read again, and watchers hear of it.
final class ObservedControls {
  private unowned let settings: DeviceSettings
  private let context: DeviceContext
  private let controls: CameraControls
  /// Controls that the camera or another program has changed, and when: to be read.
  private var events: [ControlID: UInt64] = [:]
  /// Somebody waits for the end of the driver's search for focus.
  private var isFollowingSearch = false
  /// Groups of settings that the camera's own modes moved between the latest two readings.
  private var adjusting: Set<Substring> = []
  /// Until then nothing is read that nobody asked for.
  private(set) var quietUntil: UInt64 = 0

  /// Times as long as reading took.
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

  /// A stream began or ended.
  func streamChanged() { adjusting = [] }

  /// What the camera told is about to be read.
  var isReadingDue: Bool { !events.isEmpty }

  // MARK: Events

  /// The camera or another program changed a control, at `time` (`CLOCK_MONOTONIC` nanoseconds).
  func changed(_ change: ControlChange, at time: UInt64, of camera: any Camera) {
    guard context.camera.isPresent(camera), controls.known != nil else { return }
    controls.note(change)
    let isFirst = events.isEmpty
    events[change.id] = time
    if isFirst { context.tasks.start { await $0.settings.observed.refresh(camera) } }
  }

  /// Reads again what may have changed with a control. Takes its turn, so that it sees no change half done.
  private func refresh(_ camera: any Camera) async {
    await context.gates.enterToCleanUp(.settings)
    defer { context.gates.leave(.settings) }
    guard context.camera.isPresent(camera) else { return }
    let events = events
    self.events = [:]
    do throws(CaptureError) {
      var known = try await settings.known(of: camera)
      known.relist(try await camera.controls())
      try await controls.read(known.map.ids, into: &known, from: camera)
      settings.learn(known, of: camera, events: events)
    } catch {
      controls.forget()
      settings.watchers.tell(
        SettingsNews(
          keys: Set(events.keys.map { .control($0) }), change: 0, frame: nil, provenance: .unknown))
    }
  }

  // MARK: Values that move

  /// Frames come, and what the camera's own modes move was not read lately (`V4L2_CTRL_FLAG_VOLATILE`: the driver says it only when asked). Nobody waits
  /// for that: where a change is under way, or the camera takes its time, frames tell that nobody knows.
  func readMovingValues() {
    guard let camera = context.camera.present, let known = controls.known, isSeen else {
      adjusting = []
      return
    }
    guard !known.map.movingIDs.isEmpty, MonotonicClock.now() >= quietUntil else { return }
    context.tasks.start { await $0.settings.observed.readMoving(of: camera) }
  }

  private var isSeen: Bool {
    guard let stream = context.stream.active else { return false }
    return !stream.hub.isIdle || !settings.watchers.isEmpty
  }

  private func readMoving(of camera: any Camera) async {
    let began = MonotonicClock.now()
    guard began >= quietUntil, let known = controls.known, context.gates.tryEnter(.settings) else { return }
    defer { context.gates.leave(.settings) }
    var now = known
    let isRead = (try? await controls.read(known.map.movingIDs, into: &now, from: camera)) != nil
    let ended = MonotonicClock.now()
    // For most of the time the camera is there for those who ask it something.
    quietUntil = ended + Self.quiet * (ended - began)
    guard isRead, controls.known?.identity === known.identity else { return }
    adjusting = known.groupsThatMoved(until: now)
    settings.learn(now, of: camera)
  }

  /// Adds which of the camera's own modes moved something between the latest two readings.
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

  /// Looks until a search is over, so that watchers hear of its end: a driver that focuses once says with a control that it is still at it
  /// (`V4L2_CID_AUTO_FOCUS_STATUS`), and with no event that it is done.
  func followSearch(of camera: any Camera) {
    guard !isFollowingSearch, let known = controls.known, known.map.isSearching(known.numbers) else { return }
    isFollowingSearch = true
    context.tasks.start { device in
      repeat {
        try? await Task.sleep(for: Self.searchPause)
      } while await device.settings.observed.lookAtSearch(
        of: camera)
    }
  }

  /// Whether it goes on. Takes its turn, so that it sees no change half done.
  private func lookAtSearch(of camera: any Camera) async -> Bool {
    await context.gates.enterToCleanUp(.settings)
    defer { context.gates.leave(.settings) }
    var known = controls.known
    do throws(CaptureError) {
      // Not after the node's end.
      _ = try context.camera.required()
      if var now = known {
        try await controls.read([.autoFocusStatus], into: &now, from: camera)
        if !now.map.isSearching(now.numbers) {
          try await controls.read(now.map.ids, into: &now, from: camera)
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
  /// Groups of settings (``Setting/group``) of which something moved by itself, by more than a step to and fro.
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
