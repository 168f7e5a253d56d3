/// The settings that a frame was taken with, as far as anyone can know them. What is `nil` the camera has not, or nobody knows.
public struct FrameSettings: Hashable, Sendable {
  /// By the settings' places among those that frames tell. In place: each frame has its own.
  private var numbers = Numbers(repeating: nil)
  private typealias Numbers = InlineArray<16, Observed<Double>?>
  public var whiteBalanceGains: Observed<WhiteBalanceGains>?
  /// The latest change that the frame is known to have; 0: none. What the driver made of a change is known only at its end
  /// (``FrameTimeline/end(_:_:)``): a frame that came before tells the change before, though it may be the first that has the new one.
  public var change: UInt64 = 0
  /// Those that the camera's own modes move, and its driver tells: as they were when it was asked last, which is of no one frame.
  package private(set) var moving = SettingSet()

  public init() {}

  /// Those settings whose number a frame can tell: "torch.level" is 0 where the torch is off, a flip 1 where the driver has mirrored the frame.
  public static let settings: [Setting] = Setting.allCases.filter(\.row.isInFrames)

  /// The place of each setting among those, by its own; -1: frames do not tell it.
  private static let places: [Int] = {
    precondition(
      settings.count <= Numbers.count, "a frame has room for the numbers of \(Numbers.count) settings")
    return Setting.allCases.map { settings.firstIndex(of: $0) ?? -1 }
  }()

  /// Takes over a setting's value; nothing for those that frames do not tell.
  package mutating func take(_ setting: Setting, from other: FrameSettings?) {
    if setting == .whiteBalanceGains { whiteBalanceGains = other?.whiteBalanceGains }
    self[setting] = other?[setting]
    moving.remove(setting)
    if other?.moving.contains(setting) == true { moving.insert(setting) }
  }

  /// A setting has a value, or nobody knows which. `gains`: of ``Setting/whiteBalanceGains``. `isMoving`: the camera's own mode moves it.
  package mutating func hold(
    _ setting: Setting, _ value: Observed<Double>?, gains: Observed<WhiteBalanceGains>?, isMoving: Bool
  ) {
    if setting == .whiteBalanceGains { whiteBalanceGains = gains }
    self[setting] = value
    moving.remove(setting)
    if isMoving { moving.insert(setting) }
  }

  /// The camera's own mode moves it.
  package mutating func moves(_ setting: Setting) {
    moving.insert(setting)
    if setting == .whiteBalanceGains { whiteBalanceGains?.provenance.weaken(to: .assumed) }
    self[setting]?.provenance.weaken(to: .assumed)
  }

  /// Nobody can say what these are.
  package mutating func doubt(_ settings: SettingSet) {
    guard !settings.isEmpty else { return }
    for setting in Self.settings where settings.contains(setting) { self[setting]?.provenance = .unknown }
    if settings.contains(.whiteBalanceGains) { whiteBalanceGains?.provenance = .unknown }
  }

  /// Whether a setting is the same in another frame, and as well known.
  package func isSame(_ setting: Setting, as other: FrameSettings) -> Bool {
    if setting == .whiteBalanceGains, whiteBalanceGains != other.whiteBalanceGains { return false }
    return self[setting] == other[setting] && moving.contains(setting) == other.moving.contains(setting)
  }

  /// A setting's value as a number; `nil` for those that frames do not tell, and for gains.
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
  /// How the driver has mirrored the sensor's frame; `nil`: not known just now.
  public var flip: PictureTransform? {
    let flips = [self[.horizontalFlip], self[.verticalFlip]]
    if flips.contains(where: { $0?.provenance == .unknown }) { return nil }
    let (isMirrored, isUpended) = (
      (self[.horizontalFlip]?.value ?? 0) != 0, (self[.verticalFlip]?.value ?? 0) != 0
    )
    // Top to bottom: half a turn, and then left to right.
    return PictureTransform(
      orientation: isUpended ? .upsideDown : .upright, isMirrored: isMirrored != isUpended)
  }
}
