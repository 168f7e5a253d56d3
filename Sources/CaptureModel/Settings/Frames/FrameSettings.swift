/// The settings that a frame was taken with, as far as they are known. A setting is `nil` where the camera does not have it or nobody knows it.
public struct FrameSettings: Hashable, Sendable {
  /// The numbers, by the settings' places in ``settings``. They are stored inline, so that no frame allocates memory for them.
  private var numbers = Numbers(repeating: nil)
  private typealias Numbers = InlineArray<16, Observed<Double>?>
  /// `deviceWhiteBalanceGains`.
  public var whiteBalanceGains: Observed<WhiteBalanceGains>?
  /// The latest change that the frame is known to have; 0: none. The node learns what the driver made of a change only at the change's end
  /// (`FrameTimeline.end`). A frame that came earlier names the change before, though it may be the first that has the new one.
  public var change: UInt64 = 0
  /// The settings that the camera's own modes move and its driver reports. Their values are those of the latest reading, which belong to no particular
  /// frame.
  package private(set) var moving = SettingSet()

  public init() {}

  /// The settings whose number a frame can have. The torch's level is 0 while the torch is off; a flip is 1 where the driver has mirrored the frame.
  public static let settings: [Setting] = Setting.allCases.filter(\.row.isInFrames)

  /// The place of each setting in ``settings``; -1: frames do not have it.
  private static let places: [Int] = {
    precondition(
      settings.count <= Numbers.count, "a frame has room for the numbers of \(Numbers.count) settings")
    return Setting.allCases.map { settings.firstIndex(of: $0) ?? -1 }
  }()

  /// Copies a setting's value. It does nothing for settings that frames do not have.
  package mutating func copy(_ setting: Setting, from other: FrameSettings?) {
    if setting == .whiteBalanceGains { whiteBalanceGains = other?.whiteBalanceGains }
    self[setting] = other?[setting]
    moving.remove(setting)
    if other?.moving.contains(setting) == true { moving.insert(setting) }
  }

  /// Sets a setting's value; `nil`: nobody knows it. `gains`: the value of ``Setting/whiteBalanceGains``. `isMoving`: the camera's own mode moves it.
  package mutating func set(
    _ setting: Setting, _ value: Observed<Double>?, gains: Observed<WhiteBalanceGains>?, isMoving: Bool
  ) {
    if setting == .whiteBalanceGains { whiteBalanceGains = gains }
    self[setting] = value
    moving.remove(setting)
    if isMoving { moving.insert(setting) }
  }

  /// Notes that the camera's own mode moves the setting.
  package mutating func markMoving(_ setting: Setting) {
    moving.insert(setting)
    if setting == .whiteBalanceGains { whiteBalanceGains?.provenance.weaken(to: .assumed) }
    self[setting]?.provenance.weaken(to: .assumed)
  }

  /// Marks settings as unknown.
  package mutating func markUnknown(_ settings: SettingSet) {
    guard !settings.isEmpty else { return }
    for setting in Self.settings where settings.contains(setting) { self[setting]?.provenance = .unknown }
    if settings.contains(.whiteBalanceGains) { whiteBalanceGains?.provenance = .unknown }
  }

  /// Whether a setting has the same value in another frame, with the same provenance.
  package func isSame(_ setting: Setting, as other: FrameSettings) -> Bool {
    if setting == .whiteBalanceGains, whiteBalanceGains != other.whiteBalanceGains { return false }
    return self[setting] == other[setting] && moving.contains(setting) == other.moving.contains(setting)
  }

  /// A setting's value as a number; `nil` for settings that frames do not have, and for gains.
  public subscript(setting: Setting) -> Observed<Double>? {
    get {
      let place = Self.places[setting.place]
      return place < 0 ? nil : numbers[place]
    }
    set {
      let place = Self.places[setting.place]
      if place >= 0 { numbers[place] = newValue }
    }
  }

  public static func == (a: FrameSettings, b: FrameSettings) -> Bool {
    a.change == b.change && a.moving == b.moving && a.whiteBalanceGains == b.whiteBalanceGains
      && settings.indices.allSatisfy { a.numbers[$0] == b.numbers[$0] }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(change)
    for place in Self.settings.indices { hasher.combine(numbers[place]) }
  }
}

extension FrameSettings {
  /// How the driver has mirrored the sensor's frame; `nil`: nobody knows it now.
  public var flip: PictureTransform? {
    let flips = [self[.horizontalFlip], self[.verticalFlip]]
    if flips.contains(where: { $0?.provenance == .unknown }) { return nil }
    let (isMirrored, isUpended) = (
      (self[.horizontalFlip]?.value ?? 0) != 0, (self[.verticalFlip]?.value ?? 0) != 0
    )
    // Mirroring top to bottom equals half a turn and then mirroring left to right.
    return PictureTransform(
      orientation: isUpended ? .upsideDown : .upright, isMirrored: isMirrored != isUpended)
  }
}
