import CaptureControls
import CaptureModel

/// The changes that were made and found of a camera's settings, and what of them watchers are still to hear.
struct ChangeLedger {
  /// The latest change; each has a number of its own. 0: there was none.
  private(set) var lastChange: UInt64 = 0
  private(set) var lastFinding: UInt64 = 0
  /// Of changes whose frame is not known yet: what watchers will be told.
  private var made: [UInt64: Set<SettingsKey>] = [:]
  /// What was found of the camera and is news; watchers will be told of each from which frame it holds.
  private var found: [UInt64: Set<SettingsKey>] = [:]
  /// Of what clients set: the change that set it last.
  private var authors: [SettingsKey: UInt64] = [:]
  /// As watchers know the settings, but for what they are still to hear.
  private(set) var told: CameraSettings?

  /// Nothing that was found waits for its frame.
  var hasNoFindings: Bool { found.isEmpty }
  /// No change waits for its frame.
  var hasNoChanges: Bool { made.isEmpty }

  /// A change begins. Returns its number.
  mutating func begin() -> UInt64 {
    lastChange += 1
    return lastChange
  }

  /// A change was made; `keys` is what watchers are to hear of it.
  mutating func made(_ change: UInt64, _ keys: Set<SettingsKey>) { made[change] = keys }

  /// Settings are told from here on. Returns what of them is news.
  mutating func tell(_ settings: CameraSettings) -> Set<SettingsKey> {
    defer { told = settings }
    return Set((told?.differences(from: settings) ?? []).map(SettingsKey.setting))
  }

  /// Something was found. Returns the number of the finding; 0: it is no news.
  mutating func find(_ keys: Set<SettingsKey>) -> UInt64 {
    if keys.isEmpty { return 0 }
    lastFinding += 1
    found[lastFinding] = keys
    return lastFinding
  }

  /// A change or a finding holds from some frame on. Returns what watchers are told.
  mutating func hold(_ applied: FrameTimeline.Applied) -> SettingsNews? {
    guard let keys = found.removeValue(forKey: applied.finding) ?? made.removeValue(forKey: applied.change)
    else { return nil }
    return SettingsNews(
      keys: keys, change: applied.change, frame: applied.frame, provenance: applied.provenance)
  }

  /// It waits for no frame any more. Returns what watchers have not heard.
  mutating func take(_ change: UInt64) -> Set<SettingsKey> { made.removeValue(forKey: change) ?? [] }

  /// The camera went.
  mutating func cameraVanished() { (made, found) = ([:], [:]) }

  /// A client's change set these.
  mutating func authored(_ keys: [SettingsKey], by change: UInt64) {
    for key in keys { authors[key] = change }
  }

  /// Of these what nobody has set since that change.
  func stillAuthored(_ keys: [SettingsKey], by change: UInt64) -> Set<SettingsKey> {
    Set(keys.filter { authors[$0] == change })
  }
}
