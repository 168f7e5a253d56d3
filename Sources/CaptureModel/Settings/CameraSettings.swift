/// A camera's settings as they are now. A part is `nil` where the camera does not have it.
public struct CameraSettings: Hashable, Sendable {
  public var focus: Focus?
  public var exposure: Exposure?
  public var whiteBalance: WhiteBalance?
  public var zoom: Zoom?
  public var torch: Light?
  public var flash: Light?
  /// The bounds that streams keep to, from the next stream on at the latest; `nil`: the formats alone bound them.
  public var frameDuration: SettingsChange.FrameDuration?
  /// 1: the driver mirrors pictures, left to right or top to bottom; `nil`: it cannot.
  public var horizontalFlip: Observed<Double>?
  public var verticalFlip: Observed<Double>?

  public init() {}

  public struct Focus: Hashable, Sendable, FocusNumbers {
    public var mode: FocusMode
    /// `nil`: the camera does not have it.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// `focusPointOfInterest`; `nil` where the camera meters no point.
    public var point: NormalizedPoint?
    public var range: FocusRange?
    /// `isAdjustingFocus`.
    public var isAdjusting = false
    /// Whether the node focuses, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing. The settings are as they were before, and locked. `nil` once a client asks for a mode again.
    public var failure: String?

    public init(mode: FocusMode) { self.mode = mode }
  }

  public struct Exposure: Hashable, Sendable, ExposureNumbers {
    public var mode: ExposureMode
    /// `nil`: the camera does not have it.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// EV. `exposureTargetBias`.
    public var bias = 0.0
    /// `exposurePointOfInterest`; `nil` where the camera meters no point.
    public var point: NormalizedPoint?
    /// `isAdjustingExposure`.
    public var isAdjusting = false
    /// Whether the node exposes, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing. The settings are as they were before, and locked. `nil` once a client asks for a mode again.
    public var failure: String?

    public init(mode: ExposureMode) { self.mode = mode }
  }

  public struct WhiteBalance: Hashable, Sendable, WhiteBalanceNumbers {
    public var mode: WhiteBalanceMode
    /// `nil`: the camera does not have it.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// `deviceWhiteBalanceGains`; `nil`: they are not known.
    public var gains: Observed<WhiteBalanceGains>?
    /// `isAdjustingWhiteBalance`.
    public var isAdjusting = false
    /// Whether the node balances, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing. The settings are as they were before, and locked. `nil` once a client asks for a mode again.
    public var failure: String?

    public init(mode: WhiteBalanceMode) { self.mode = mode }
  }

  public struct Zoom: Hashable, Sendable {
    /// 1 and more. `videoZoomFactor`.
    public var factor: Observed<Double>
    /// `isRampingVideoZoom`.
    public var isRamping = false
    /// Which part of the system magnifies: the lens, the driver or the node.
    public var kind: ZoomKind

    public init(factor: Observed<Double>, kind: ZoomKind) {
      self.factor = factor
      self.kind = kind
    }
  }

  public struct Light: Hashable, Sendable {
    public var mode: LightMode
    /// 0…1. `torchLevel`.
    public var level: Observed<Double>?
    /// Whether it shines now. `isTorchActive`.
    public var isActive = false
    /// Whether the node switches it, from pictures or for a photo.
    public var isSoftware = false

    public init(mode: LightMode) { self.mode = mode }
  }
}

extension CameraSettings {
  /// The numbers of a group, "exposure"; `nil`: it keeps none, or the camera does not have it.
  func numbers(of group: Substring) -> SettingKeyed<Observed<Double>>? {
    switch group {
    case "focus": focus?.numbers
    case "exposure": exposure?.numbers
    case "white_balance": whiteBalance?.numbers
    default: nil
    }
  }
}

extension CameraSettings {
  /// A copy that has only those groups ("focus", "white_balance") for which `isWanted` returns true.
  public func keeping(_ isWanted: (String) -> Bool) -> CameraSettings {
    var kept = self
    if !isWanted("focus") { kept.focus = nil }
    if !isWanted("exposure") { kept.exposure = nil }
    if !isWanted("white_balance") { kept.whiteBalance = nil }
    if !isWanted("zoom") { kept.zoom = nil }
    if !isWanted("torch") { kept.torch = nil }
    if !isWanted("flash") { kept.flash = nil }
    if !isWanted("frame_duration") { kept.frameDuration = nil }
    return kept
  }
}
