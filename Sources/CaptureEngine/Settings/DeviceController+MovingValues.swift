import CaptureModel
import CaptureSystem

/// What the camera's own modes move, and its driver says only when asked (`V4L2_CTRL_FLAG_VOLATILE`): read again and again while somebody can see it.
extension DeviceController {
  /// Frames come, and it was not read lately. Nobody waits for that: where a change is under way, or the camera takes its time, frames tell that nobody
  /// knows.
  func readMovingValues() {
    guard let camera, let known = settingsState.known, isSeen else {
      settingsState.adjusting = []
      return
    }
    guard !known.map.movingIDs.isEmpty, MonotonicClock.now() >= settingsState.quietUntil,
      settingTurn.tryEnter()
    else { return }
    Task {
      await read(known, of: camera)
      settingTurn.leave()
    }
  }

  private var isSeen: Bool {
    guard let stream else { return false }
    return !stream.hub.isIdle || settingsState.watches.contains { !$0.isOver }
  }

  private func read(_ known: KnownControls, of camera: any Camera) async {
    var now = known
    let began = MonotonicClock.now()
    let isRead = (try? await read(known.map.movingIDs, into: &now, from: camera)) != nil
    let ended = MonotonicClock.now()
    // For most of the time the camera is there for those who ask it something.
    settingsState.quietUntil = ended + Self.quiet * (ended - began)
    guard isRead, settingsState.known?.identity === known.identity else { return }
    settingsState.adjusting = known.groupsThatMoved(until: now)
    _ = keep(now, of: camera)
  }

  /// Times as long as reading took.
  private static let quiet: UInt64 = 4

  /// Adds which of the camera's own modes moved something between the latest two readings.
  func reportAdjusting(into settings: inout CameraSettings) {
    let groups = settingsState.adjusting
    if groups.contains("focus"), settings.focus?.mode == .continuous { settings.focus?.isAdjusting = true }
    if groups.contains("exposure"), settings.exposure?.mode == .continuous {
      settings.exposure?.isAdjusting = true
    }
    if groups.contains("white_balance"), settings.whiteBalance?.mode == .continuous {
      settings.whiteBalance?.isAdjusting = true
    }
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
