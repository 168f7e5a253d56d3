/// Distinguishes frames that have the latest setting from frames that were taken before.
struct AwaitedSetting<Value: Sendable>: Sendable {
  private(set) var latest: Value?
  private var waited = 0
  private var assumed: AssumedDelay<Value>

  /// If no frame has the latest setting after this many frames, the driver is assumed to have rounded the setting. From then on, the setting
  /// of the present frame counts as the latest one.
  static var longestWait: Int { 12 }

  init(assumedDelay: Int) { assumed = AssumedDelay(frames: assumedDelay) }

  mutating func set(_ value: Value) {
    latest = value
    waited = 0
    assumed.set(value)
  }

  /// Forgets the latest setting, since someone else may have set another one.
  mutating func forget() { latest = nil }

  /// The setting of the present frame: the known one, or else the assumed one.
  mutating func settingOfFrame(known: Value?) -> Value? {
    let guess = assumed.nextFrame()
    return known ?? guess
  }

  /// Whether a frame taken with `value` has the latest setting.
  mutating func isLatest(_ value: Value, _ isAbout: (Value, Value) -> Bool) -> Bool {
    guard let latest, !isAbout(latest, value) else {
      waited = 0
      return true
    }
    waited += 1
    guard waited > Self.longestWait else { return false }
    self.latest = value
    waited = 0
    return true
  }
}
