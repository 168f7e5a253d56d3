/// Tells from pictures which frames have the latest setting, where that was never measured.
///
/// After a setting it waits until pictures show it, and so learns the delay; before any was seen, until every camera would show it. What is
/// to be locked has been at rest for so long in any case.
struct Footing: Sendable {
  private(set) var trust: DelayTrust
  /// Frames after the first one that is believed to have the latest setting.
  private(set) var rest = -1
  private var believed: UInt64?
  private var seen: UInt64?
  private var isExact = false
  /// Nobody knows how late the latest setting is, though something else's delay was seen.
  private var isUnknown = false
  private var latest: UInt64?
  private var lag = 0
  private var observation: Int?

  /// Frames by which any camera is later than is believed, and some to spare.
  static let patience = 8
  /// After so many a step that should show does not.
  static let longPatience = 24

  init(_ trust: DelayTrust) { self.trust = trust }

  var isSure: Bool { trust == .calibrated }

  /// Something was set: all begins anew. `isUnknown`: something whose delay was never seen is among it.
  mutating func set(isUnknown: Bool = false) {
    (believed, seen, rest) = (nil, nil, -1)
    self.isUnknown = isUnknown
  }

  /// A frame came. `isBelieved`: to have the latest setting; `shows`: its picture differs from those before as it should.
  mutating func frame(_ sequence: UInt64, isBelieved: Bool, shows: Bool) {
    // Another stream.
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
  var isReady: Bool { rest >= (trust == .unknown || isUnknown ? Self.patience : max(lag, 0)) }
  /// Whether every camera shows the latest setting.
  var isSettled: Bool { isSure || rest >= Self.patience }

  /// Frames by which a setting showed later than was believed, once. From then on the believed is taken for so much later.
  mutating func takeObservation() -> Int? {
    guard let observation else { return nil }
    self.observation = nil
    lag = 0
    return observation
  }
}
