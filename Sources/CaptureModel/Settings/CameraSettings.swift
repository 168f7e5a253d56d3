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

  public struct Focus: Hashable, Sendable {
    public var mode: FocusMode
    /// 0 (nearest) to 1 (infinity); `nil`: it cannot be set. `AVCaptureDevice.lensPosition`.
    public var lensPosition: Observed<Double>?
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

  public struct Exposure: Hashable, Sendable {
    public var mode: ExposureMode
    /// Seconds. `exposureDuration`.
    public var duration: Observed<Double>?
    /// `iso`; `nil` without a control for it.
    public var iso: Observed<Double>?
    /// The driver's units.
    public var gain: Observed<Double>?
    /// EV. `exposureTargetBias`.
    public var bias = 0.0
    /// How far the picture is off its target, in EV; only while the node exposes, or while a client watches it. `exposureTargetOffset`.
    public var targetOffset: Observed<Double>?
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

  public struct WhiteBalance: Hashable, Sendable {
    public var mode: WhiteBalanceMode
    /// Kelvin.
    public var temperature: Observed<Double>?
    public var tint: Observed<Double>?
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
  /// Whether a setting has the same value in another state.
  public func isSame(_ setting: Setting, as other: CameraSettings) -> Bool {
    switch setting {
    case .focusMode: focus?.mode == other.focus?.mode && focus?.failure == other.focus?.failure
    case .lensPosition: focus?.lensPosition == other.focus?.lensPosition
    case .focusPoint: focus?.point == other.focus?.point
    case .focusRange: focus?.range == other.focus?.range
    case .focusAdjusting: focus?.isAdjusting == other.focus?.isAdjusting
    case .exposureMode:
      exposure?.mode == other.exposure?.mode && exposure?.failure == other.exposure?.failure
    case .exposureDuration: exposure?.duration == other.exposure?.duration
    case .iso: exposure?.iso == other.exposure?.iso
    case .gain: exposure?.gain == other.exposure?.gain
    case .exposureBias: exposure?.bias == other.exposure?.bias
    case .exposureTargetOffset: exposure?.targetOffset == other.exposure?.targetOffset
    case .exposurePoint: exposure?.point == other.exposure?.point
    case .exposureAdjusting: exposure?.isAdjusting == other.exposure?.isAdjusting
    case .whiteBalanceMode:
      whiteBalance?.mode == other.whiteBalance?.mode && whiteBalance?.failure == other.whiteBalance?.failure
    case .temperature: whiteBalance?.temperature == other.whiteBalance?.temperature
    case .tint: whiteBalance?.tint == other.whiteBalance?.tint
    case .whiteBalanceGains: whiteBalance?.gains == other.whiteBalance?.gains
    case .whiteBalanceAdjusting: whiteBalance?.isAdjusting == other.whiteBalance?.isAdjusting
    case .zoomFactor: zoom?.factor == other.zoom?.factor
    case .zoomRamping: zoom?.isRamping == other.zoom?.isRamping
    case .torchMode: torch?.mode == other.torch?.mode
    case .torchLevel: torch?.level == other.torch?.level
    case .torchActive: torch?.isActive == other.torch?.isActive
    case .flashMode: flash?.mode == other.flash?.mode
    case .flashLevel: flash?.level == other.flash?.level
    case .flashActive: flash?.isActive == other.flash?.isActive
    case .frameDuration: frameDuration == other.frameDuration
    case .horizontalFlip: horizontalFlip == other.horizontalFlip
    case .verticalFlip: verticalFlip == other.verticalFlip
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
