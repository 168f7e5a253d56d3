/// A camera's settings as they are now. A part is `nil` where the camera does not have it.
public struct CameraSettings: Hashable, Sendable {
  /// `nil`: the focus is fixed.
  public var focus: Focus?
  /// `nil`: the camera's exposure can be neither read nor set.
  public var exposure: Exposure?
  /// `nil`: the camera's white balance can be neither read nor set.
  public var whiteBalance: WhiteBalance?
  /// `nil`: there is no zoom.
  public var zoom: Zoom?
  /// The light that stays on; `nil`: there is none.
  public var torch: Light?
  /// The light for photos; `nil`: there is none.
  public var flash: Light?
  /// The bounds that streams keep to, from the next stream on at the latest; `nil`: the formats alone bound them.
  public var frameDuration: SettingsChange.FrameDuration?
  /// 1: the driver mirrors pictures left to right; `nil`: it cannot.
  public var horizontalFlip: Observed<Double>?
  /// 1: the driver mirrors pictures top to bottom; `nil`: it cannot.
  public var verticalFlip: Observed<Double>?

  public init() {}

  /// The focus.
  public struct Focus: Hashable, Sendable, FocusNumbers {
    /// `AVCaptureDevice.focusMode`.
    public var mode: FocusMode
    /// The numbers by setting; `nil` for one that the camera does not have.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// `focusPointOfInterest`; `nil` where the camera meters no point.
    public var point: NormalizedPoint?
    /// `autoFocusRangeRestriction`; `nil` where the camera has none.
    public var range: FocusRange?
    /// `isAdjustingFocus`.
    public var isAdjusting = false
    /// Whether the node focuses, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing; `nil`: it did not fail, or a client has asked for a mode again since. After a failure the settings are
    /// as they were before: locked, or the camera's own mode.
    public var failure: String?

    public init(mode: FocusMode) { self.mode = mode }
  }

  /// The exposure.
  public struct Exposure: Hashable, Sendable, ExposureNumbers {
    /// `AVCaptureDevice.exposureMode`.
    public var mode: ExposureMode
    /// The numbers by setting; `nil` for one that the camera does not have.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// EV (`exposureTargetBias`).
    public var bias = 0.0
    /// `exposurePointOfInterest`; `nil` where the camera meters no point.
    public var point: NormalizedPoint?
    /// `isAdjustingExposure`.
    public var isAdjusting = false
    /// Whether the node exposes, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing; `nil`: it did not fail, or a client has asked for a mode again since. After a failure the settings are
    /// as they were before: locked, or the camera's own mode.
    public var failure: String?

    public init(mode: ExposureMode) { self.mode = mode }
  }

  /// The white balance.
  public struct WhiteBalance: Hashable, Sendable, WhiteBalanceNumbers {
    /// `AVCaptureDevice.whiteBalanceMode`.
    public var mode: WhiteBalanceMode
    /// The numbers by setting; `nil` for one that the camera does not have.
    public var numbers = SettingKeyed<Observed<Double>>()
    /// `deviceWhiteBalanceGains`; `nil`: they are not known.
    public var gains: Observed<WhiteBalanceGains>?
    /// `isAdjustingWhiteBalance`.
    public var isAdjusting = false
    /// Whether the node balances, from pictures.
    public var isSoftware = false
    /// Why the node's auto mode found nothing; `nil`: it did not fail, or a client has asked for a mode again since. After a failure the settings are
    /// as they were before: locked, or the camera's own mode.
    public var failure: String?

    public init(mode: WhiteBalanceMode) { self.mode = mode }
  }

  /// The zoom.
  public struct Zoom: Hashable, Sendable {
    /// 1 and more (`videoZoomFactor`).
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

  /// A torch or a flash.
  public struct Light: Hashable, Sendable {
    /// `torchMode`, `flashMode`.
    public var mode: LightMode
    /// 0…1 (`torchLevel`).
    public var level: Observed<Double>?
    /// Whether it shines now (`isTorchActive`).
    public var isActive = false
    /// Whether the node switches it, from pictures or for a photo.
    public var isSoftware = false

    public init(mode: LightMode) { self.mode = mode }
  }
}

extension CameraSettings {
  /// The numbers of a group; `nil`: the group has no such table, or the camera does not have the group.
  func numbers(of group: SettingGroup) -> SettingKeyed<Observed<Double>>? {
    switch group {
    case .focus: focus?.numbers
    case .exposure: exposure?.numbers
    case .whiteBalance: whiteBalance?.numbers
    case .zoom, .torch, .flash, .frameDuration, .flip: nil
    }
  }
}

extension CameraSettings {
  /// A copy that has only those groups ("focus", "white_balance") for which `isWanted` returns true.
  public func keeping(_ isWanted: (String) -> Bool) -> CameraSettings {
    var kept = self
    for group in SettingGroup.allCases where !isWanted(group.name) {
      switch group {
      case .focus: kept.focus = nil
      case .exposure: kept.exposure = nil
      case .whiteBalance: kept.whiteBalance = nil
      case .zoom: kept.zoom = nil
      case .torch: kept.torch = nil
      case .flash: kept.flash = nil
      case .frameDuration: kept.frameDuration = nil
      case .flip: (kept.horizontalFlip, kept.verticalFlip) = (nil, nil)
      }
    }
    return kept
  }
}

extension CameraSettings {
  /// The names of the groups that the camera has, and of the settings in them: what can be watched.
  public var names: [String] {
    let groups: [(name: String, isThere: Bool)] = [
      ("focus", focus != nil), ("exposure", exposure != nil), ("white_balance", whiteBalance != nil),
      ("zoom", zoom != nil), ("torch", torch != nil), ("flash", flash != nil), ("frame_duration", true),
    ]
    return groups.filter(\.isThere).flatMap { group in
      [group.name]
        + Setting.allCases.filter { $0.group == group.name && $0.name != group.name }.map(\.name)
    }
  }
}
