/// Learns from pictures which frames have the latest setting, where nobody measured that.
///
/// As long as the delay is unknown, frames are judged only once pictures show the latest setting, or once even the slowest camera would show it. Once
/// pictures have shown a setting, the delay is known, and from then on frames are judged as soon as it has passed. A result is locked only after it
/// has been at rest for as long as the slowest camera needs.
struct DelayLearner: Sendable {
  private(set) var trust: DelayTrust
  /// How many frames have passed since the first one that is believed to have the latest setting; -1: there is none yet.
  private(set) var rest = -1
  /// The first frame that is believed to have the latest setting.
  private var believed: UInt64?
  /// The first frame whose picture shows the latest setting.
  private var seen: UInt64?
  /// Whether no frame is missing just before ``seen``.
  private var isExact = false
  /// Whether the delay of the latest setting is unknown, though that of another setting was seen.
  private var isUnknown = false
  /// The latest frame.
  private var latest: UInt64?
  /// By how many frames the setting shows later than believed.
  private var lag = 0
  private var observation: Int?

  /// The slowest camera shows a setting this many frames after the first frame that is believed to have it.
  static let longestDelay = 8
  /// If a step that should show has not shown after this many frames, it is assumed never to show.
  static let longestWait = 24

  init(_ trust: DelayTrust) { self.trust = trust }

  var isSure: Bool { trust == .calibrated }

  /// Tells that something was set: everything starts again. `isUnknown`: the delay of one of the settings was never seen.
  mutating func set(isUnknown: Bool = false) {
    (believed, seen, rest) = (nil, nil, -1)
    self.isUnknown = isUnknown
  }

  /// Takes a frame. `isBelieved`: the frame is believed to have the latest setting. `shows`: its picture has changed as that setting should change
  /// it.
  mutating func frame(_ sequence: UInt64, isBelieved: Bool, shows: Bool) {
    // A frame with a lower number than the latest one is of another stream.
    if let latest, sequence < latest { (believed, seen) = (nil, nil) }
    let follows = latest.map { sequence == $0 + 1 } ?? false
    latest = sequence
    if isBelieved, believed == nil { believed = sequence }
    rest = believed.map { Int(sequence - $0) } ?? -1
    if shows, seen == nil { (seen, isExact) = (sequence, follows) }
    guard let seen, let believed, isExact else { return }
    isExact = false
    let late = Int(seen) - Int(believed)
    if trust == .unknown || isUnknown || late != lag { observation = late }
    (lag, isUnknown) = (late, false)
    if trust == .unknown { trust = .observed }
  }

  /// Whether the frame can be judged.
  var isReady: Bool { rest >= (trust == .unknown || isUnknown ? Self.longestDelay : max(lag, 0)) }
  /// Whether even the slowest camera shows the latest setting by now. This includes calibrated cameras, which are late at times.
  var isAtRest: Bool { rest >= Self.longestDelay }
  /// Whether a result that is right in this frame may be locked.
  var isSettled: Bool { isSure || isAtRest }

  /// Returns an observation that was not returned before: by how many frames a setting showed later than believed. The caller adds this delay to what
  /// it believes from then on, so ``lag`` becomes 0.
  mutating func takeObservation() -> Int? {
    guard let observation else { return nil }
    self.observation = nil
    lag = 0
    return observation
  }
}
