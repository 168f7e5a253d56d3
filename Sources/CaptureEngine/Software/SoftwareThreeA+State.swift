import Capture3A
import CaptureModel

extension SoftwareThreeA {
  struct WaitingFrame: Sendable {
    var frame: Frame
    var settings: FrameSettings?
    /// The number of the frame's stream: how many streams had ended before it.
    var stream: Int
  }

  struct State {
    var loop = SoftwareLoop()
    var abilities = SoftwareAbilities()
    var waiting = Backlog<WaitingFrame>(capacity: 2)
    var isMeasuring = false
    /// The steps of searches to set.
    var due = SettingsChange()
    /// The settings whose values are kept once they are set.
    var settled: [Setting] = []
    /// Delays that were learned, and that the device gets before anything else is set.
    var delays: [SoftwareLoop.ObservedDelay] = []
    var isSetting = false
    /// The latest task that sets what is due.
    var settingTask: Task<Void, Never>?
    /// How many steps in a row the driver has refused.
    var failures = 0
    /// The number of the latest change that the software made.
    var lastChange: UInt64 = 0
    var measured: UInt64 = 0
    /// How many streams have ended.
    var streamsEnded = 0
  }
}

extension SoftwareThreeA.State {
  /// Begins, changes or ends modes; returns the request that undoes that.
  mutating func begin(_ request: SoftwareRequest) -> SoftwareRequest {
    dropWork(replacedBy: request)
    // The camera may have been away and have lost the earlier settings, so these do not count any more.
    (failures, lastChange) = (0, 0)
    return loop.apply(request)
  }

  /// Adds an outcome to the work that is due.
  mutating func add(_ outcome: SoftwareLoop.Outcome) {
    due.add(outcome.change)
    dropSteps()
    settled += outcome.settled
    delays += outcome.delays
  }

  /// Removes the steps of searches for settings that have to be set back.
  mutating func dropSteps() {
    for group in [SettingGroup.focus, .exposure, .whiteBalance] where loop.setBacks.owes(group) {
      due.drop(group)
    }
  }

  /// Whether there is something to set or to keep now. Values that the driver has refused wait for frames, and do not count meanwhile.
  var hasWork: Bool {
    !due.isEmpty || loop.setBacks.next != nil || !delays.isEmpty || settled.contains { !isOwed($0) }
  }

  /// Whether a setting has yet to be set back to what it was before a search.
  func isOwed(_ setting: Setting) -> Bool { loop.setBacks.owes(setting.settingGroup) }

  mutating func takeDelays() -> [SoftwareLoop.ObservedDelay] {
    defer { delays = [] }
    return delays
  }

  /// Removes the steps of modes that a request replaces.
  mutating func dropWork(replacedBy request: SoftwareRequest) {
    if let focus = request.focus, focus.mode != nil || focus.releases {
      due.drop(.focus)
      settled.removeAll { $0 == .lensPosition }
    }
    if let exposure = request.exposure, exposure.mode != nil || exposure.releases {
      due.drop(.exposure)
      settled.removeAll { $0 == .exposureDuration || $0 == .gain }
    }
    if request.whiteBalance != nil {
      due.drop(.whiteBalance)
      settled.removeAll { $0 == .temperature || $0 == .whiteBalanceGains }
    }
    if request.torch != nil { due.torch = nil }
  }

  mutating func takeDue() -> SettingsChange {
    defer { due = SettingsChange() }
    return due
  }

  /// Begins a turn. Returns the settings whose values are kept after it; `nil`: there is nothing to do.
  mutating func beginTurn() -> [Setting]? {
    isSetting = hasWork
    defer { if isSetting { settled = [] } }
    return isSetting ? settled : nil
  }

  /// Ends a turn. Returns the settings whose values are kept now; settings that are not set back yet are kept later.
  mutating func endTurn(keeping found: [Setting]) -> [Setting] {
    settled = found.filter(isOwed) + settled
    return found.filter { !isOwed($0) }
  }
}
