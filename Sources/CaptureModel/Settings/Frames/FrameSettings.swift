/// The settings that a frame was taken with, as far as they are known. A setting is `nil` where the camera does not have it or nobody knows it.
public struct FrameSettings: Hashable, Sendable {
  /// 0 (nearest) to 1 (infinity).
  public var lensPosition: Observed<Double>?
  /// Seconds.
  public var exposureDuration: Observed<Double>?
  public var iso: Observed<Double>?
  /// The driver's units.
  public var gain: Observed<Double>?
  /// EV.
  public var exposureBias: Observed<Double>?
  /// Kelvin.
  public var temperature: Observed<Double>?
  public var tint: Observed<Double>?
  public var whiteBalanceGains: Observed<WhiteBalanceGains>?
  public var zoomFactor: Observed<Double>?
  /// 0…1; 0: off.
  public var torchLevel: Observed<Double>?
  /// 1: the driver has mirrored it left to right.
  public var horizontalFlip: Observed<Double>?
  /// 1: the driver has mirrored it top to bottom.
  public var verticalFlip: Observed<Double>?
  /// The latest change that the frame is known to have; 0: none. The node learns what the driver made of a change only at the change's end
  /// (``FrameTimeline/end(_:_:)``). A frame that came earlier names the change before, though it may be the first that has the new one.
  public var change: UInt64 = 0
  /// The settings that the camera's own modes move and its driver reports. Their values are those of the latest reading, which belong to no particular
  /// frame.
  package private(set) var moving = SettingSet()

  public init() {}

  /// The settings that a frame can have.
  public static let settings: [Setting] = [
    .lensPosition, .exposureDuration, .iso, .gain, .exposureBias, .temperature, .tint, .zoomFactor,
    .torchLevel, .horizontalFlip, .verticalFlip,
  ]

  /// Takes over a setting's value. It does nothing for settings that frames do not have.
  package mutating func take(_ setting: Setting, from other: FrameSettings?) {
    if setting == .whiteBalanceGains { whiteBalanceGains = other?.whiteBalanceGains }
    self[setting] = other?[setting]
    moving.remove(setting)
    if other?.moving.contains(setting) == true { moving.insert(setting) }
  }

  /// Sets a setting's value; `nil`: nobody knows it. `gains`: the value of ``Setting/whiteBalanceGains``. `isMoving`: the camera's own mode moves it.
  package mutating func hold(
    _ setting: Setting, _ value: Observed<Double>?, gains: Observed<WhiteBalanceGains>?, isMoving: Bool
  ) {
    if setting == .whiteBalanceGains { whiteBalanceGains = gains }
    self[setting] = value
    moving.remove(setting)
    if isMoving { moving.insert(setting) }
  }

  /// Notes that the camera's own mode moves the setting.
  package mutating func moves(_ setting: Setting) {
    moving.insert(setting)
    if setting == .whiteBalanceGains { whiteBalanceGains?.provenance.weaken(to: .assumed) }
    self[setting]?.provenance.weaken(to: .assumed)
  }

  /// Marks settings as unknown.
  package mutating func doubt(_ settings: SettingSet) {
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
    // Key paths would cost a hundred times as much.
    get {
      switch setting {
      case .lensPosition: lensPosition
      case .exposureDuration: exposureDuration
      case .iso: iso
      case .gain: gain
      case .exposureBias: exposureBias
      case .temperature: temperature
      case .tint: tint
      case .zoomFactor: zoomFactor
      case .torchLevel: torchLevel
      case .horizontalFlip: horizontalFlip
      case .verticalFlip: verticalFlip
      default: nil
      }
    }
    set {
      switch setting {
      case .lensPosition: lensPosition = newValue
      case .exposureDuration: exposureDuration = newValue
      case .iso: iso = newValue
      case .gain: gain = newValue
      case .exposureBias: exposureBias = newValue
      case .temperature: temperature = newValue
      case .tint: tint = newValue
      case .zoomFactor: zoomFactor = newValue
      case .torchLevel: torchLevel = newValue
      case .horizontalFlip: horizontalFlip = newValue
      case .verticalFlip: verticalFlip = newValue
      default: break
      }
    }
  }
}

extension FrameSettings {
  /// How the driver has mirrored the sensor's frame; `nil`: nobody knows it now.
  public var flip: PictureTransform? {
    let flips = [horizontalFlip, verticalFlip]
    if flips.contains(where: { $0?.provenance == .unknown }) { return nil }
    let (isMirrored, isUpended) = ((horizontalFlip?.value ?? 0) != 0, (verticalFlip?.value ?? 0) != 0)
    // Mirroring top to bottom equals half a turn and then mirroring left to right.
    return PictureTransform(
      orientation: isUpended ? .upsideDown : .upright, isMirrored: isMirrored != isUpended)
  }
}
