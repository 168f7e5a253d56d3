/// Tells from pictures which frames have the latest setting, where nobody measured that.
///
/// After a setting it waits until pictures show it, and so learns the delay. Before it has seen one, it waits until every camera would show the
/// setting. A result that is to be locked has been at rest that long in any case.
struct DelayLearner: Sendable {
  private(set) var trust: DelayTrust
  /// How many frames have passed since the first one that is believed to have the latest setting.
  private(set) var rest = -1
  /// The first frame that is believed to have the latest setting.
  private var believed: UInt64?
  /// The first frame whose picture shows it.
  private var seen: UInt64?
  /// Whether no frame is missing before that one.
  private var isExact = false
  /// Whether nobody knows how late the latest setting shows, though the delay of another one was seen.
  private var isUnknown = false
  /// The latest frame.
  private var latest: UInt64?
  /// By how many frames the setting shows later than believed.
  private var lag = 0
  private var observation: Int?

  /// No camera shows a setting later than this many frames after it is believed to.
  static let longestDelay = 8
  /// A step that should show, and has not after this many frames, does not show.
  static let longestWait = 24

  init(_ trust: DelayTrust) { self.trust = trust }

  var isSure: Bool { trust == .calibrated }

  /// Tells that something was set: everything starts again. `isUnknown`: the delay of one of the settings was never seen.
  mutating func set(isUnknown: Bool = false) {
    (believed, seen, rest) = (nil, nil, -1)
    self.isUnknown = isUnknown
  }

  /// Takes a frame. `isBelieved`: the frame is believed to have the latest setting; `shows`: its picture differs from those before as it should.
  mutating func frame(_ sequence: UInt64, isBelieved: Bool, shows: Bool) {
    // The frame is of another stream.
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
  /// Whether every camera shows the latest setting by now, also one that was calibrated and is late at times.
  var isAtRest: Bool { rest >= Self.longestDelay }
  /// Whether what the frame shows may be locked.
  var isSettled: Bool { isSure || isAtRest }

  /// Returns, once, by how many frames a setting showed later than believed. From then on that delay is added to what is believed.
  mutating func takeObservation() -> Int? {
    guard let observation else { return nil }
    self.observation = nil
    lag = 0
    return observation
  }
}
