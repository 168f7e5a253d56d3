/// The settings that a frame was taken with, as far as anyone can know them. What is `nil` the camera has not, or nobody knows.
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
  /// The latest change that the frame has; 0: none.
  public var change: UInt64 = 0

  public init() {}

  /// Those settings that a frame can tell.
  public static let settings: [Setting] = [
    .lensPosition, .exposureDuration, .iso, .gain, .exposureBias, .temperature, .tint, .zoomFactor,
    .torchLevel,
  ]

  /// Takes over a setting's value; nothing for those that frames do not tell.
  mutating func take(_ setting: Setting, from other: FrameSettings?) {
    if setting == .whiteBalanceGains { whiteBalanceGains = other?.whiteBalanceGains }
    self[setting] = other?[setting]
  }

  /// A setting's value as a number; `nil` for those that frames do not tell, and for gains.
  public subscript(setting: Setting) -> Observed<Double>? {
    // Not by key paths, which cost a hundred times as much.
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
      default: break
      }
    }
  }
}
