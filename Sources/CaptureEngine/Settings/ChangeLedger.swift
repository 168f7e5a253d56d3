import CaptureControls
import CaptureModel

/// Keeps the numbers of changes that clients made and of readings that the node made, and what watchers still have to hear of both.
struct ChangeLedger {
  /// The number of the latest change; 0: there was none.
  private(set) var lastChange: UInt64 = 0
  /// The number of the latest reading; 0: there was none.
  private(set) var lastReading: UInt64 = 0
  /// The keys of which watchers will hear, by the number of the change. The first frame of these changes is not known yet.
  private var changes: [UInt64: Set<SettingsKey>] = [:]
  /// The keys of which watchers will hear, by the number of the reading. The first frame of these readings is not known yet.
  private var readings: [UInt64: Set<SettingsKey>] = [:]
  /// The change that last set each key. Only clients' changes count.
  private var setters: [SettingsKey: UInt64] = [:]
  /// The keys of which watchers have not heard because the camera was unplugged before the first frame was known.
  private var unreported: Set<SettingsKey> = []
  /// The settings that watchers will know once they have all the news that waits here.
  private(set) var lastReported: CameraSettings?

  /// Whether no reading waits for its first frame.
  var hasNoReadings: Bool { readings.isEmpty }
  /// Whether no change waits for its first frame.
  var hasNoChanges: Bool { changes.isEmpty }

  /// Begins a change. Returns its number.
  mutating func begin() -> UInt64 {
    lastChange += 1
    return lastChange
  }

  /// Notes that a change was made, and that watchers have to hear of `keys`. `settings`: the settings that watchers will know then; `nil`: the camera
  /// is gone, and they keep the former ones.
  mutating func noteChange(_ change: UInt64, _ keys: Set<SettingsKey>, _ settings: CameraSettings?) {
    changes[change] = keys
    if let settings { lastReported = settings }
  }

  /// Notes the settings of which watchers are about to hear. Returns those that differ from what watchers knew before.
  mutating func noteNews(in settings: CameraSettings) -> Set<SettingsKey> {
    defer { lastReported = settings }
    return Set((lastReported?.differences(from: settings) ?? []).map(SettingsKey.setting))
  }

  /// Notes a reading with news of `keys`. Returns its number; 0: there is no news.
  mutating func noteReading(_ keys: Set<SettingsKey>) -> UInt64 {
    if keys.isEmpty { return 0 }
    lastReading += 1
    readings[lastReading] = keys
    return lastReading
  }

  /// Takes out a change or a reading whose first frame is known. Returns the news for watchers; `nil`: neither of them waited here.
  mutating func takeNews(of applied: FrameTimeline.Applied) -> SettingsNews? {
    guard
      let keys = readings.removeValue(forKey: applied.reading)
        ?? changes.removeValue(forKey: applied.change)
    else { return nil }
    return SettingsNews(keys, change: applied.change, frame: applied.frame, applied.provenance)
  }

  /// Takes out a change that waits for no frame any more. Returns the keys of which watchers have not heard.
  mutating func removeChange(_ change: UInt64) -> Set<SettingsKey> {
    changes.removeValue(forKey: change) ?? []
  }

  /// The camera was unplugged: nothing waits for a frame any more. Watchers hear of all that waited when the camera is back.
  mutating func cameraVanished() {
    unreported = Array(changes.values).reduce(unreported) { $0.union($1) }
    unreported = Array(readings.values).reduce(unreported) { $0.union($1) }
    (changes, readings) = ([:], [:])
  }

  /// Takes out what watchers have not heard of because the camera was unplugged.
  mutating func takeUnreported() -> Set<SettingsKey> {
    defer { unreported = [] }
    return unreported
  }

  /// Notes that a client's change has set these keys.
  mutating func noteSetter(of keys: [SettingsKey], by change: UInt64) {
    for key in keys { setters[key] = change }
  }

  /// Whether a client has set a key after that change.
  func isSet(_ key: SettingsKey, after change: UInt64) -> Bool { setters[key].map { $0 > change } ?? false }

  /// Whether a client, after that change, has set a control that may change which describes the light: the temperature or the gains.
  func isColourSet(after change: UInt64) -> Bool {
    setters.contains { key, setter in setter > change && key.mayTellLight }
  }

  /// Returns the keys that this change was the last to set, without those that a key set later replaces.
  func keys(_ keys: [SettingsKey], lastSetBy change: UInt64) -> Set<SettingsKey> {
    Set(
      keys.filter { key in
        setters[key] == change && !key.replacements.contains { isSet($0, after: change) }
      })
  }
}

extension SettingsKey {
  /// Whether setting this key may change which describes the light: the temperature or the gains.
  var mayTellLight: Bool { if case .control(let id) = self { id.mayTellLight } else { false } }

  /// The keys that replace this one when they are set. On many cameras, setting a temperature sets the balances of red and blue. Setting a balance
  /// replaces the light that the temperature describes.
  fileprivate var replacements: [SettingsKey] {
    switch self {
    case .control(.whiteBalanceTemperature): [.control(.redBalance), .control(.blueBalance)]
    case .control(.redBalance), .control(.blueBalance): [.control(.whiteBalanceTemperature)]
    default: []
    }
  }
}
