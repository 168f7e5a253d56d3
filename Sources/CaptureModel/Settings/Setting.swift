/// A setting of a camera. Its raw value is its place among all settings in this version; only its ``name`` is stored or sent. The comment of a case
/// names its counterpart in `AVCaptureDevice`, or the V4L2 control.
public enum Setting: UInt8, CaseIterable, Hashable, Sendable {
  /// `focusMode`.
  case focusMode
  /// `lensPosition`: 0 (nearest) to 1 (infinity).
  case lensPosition
  /// `focusPointOfInterest`.
  case focusPoint
  /// `autoFocusRangeRestriction`.
  case focusRange
  /// `isAdjustingFocus`.
  case focusAdjusting
  /// `exposureMode`.
  case exposureMode
  /// Seconds (`exposureDuration`).
  case exposureDuration
  /// `iso`.
  case iso
  /// The driver's units.
  case gain
  /// The driver's units (`V4L2_CID_IRIS_ABSOLUTE`).
  case iris
  /// EV (`exposureTargetBias`).
  case exposureBias
  /// EV (`exposureTargetOffset`).
  case exposureTargetOffset
  /// `exposurePointOfInterest`.
  case exposurePoint
  /// `isAdjustingExposure`.
  case exposureAdjusting
  /// `whiteBalanceMode`.
  case whiteBalanceMode
  /// Kelvin.
  case temperature
  /// -150 to 150.
  case tint
  /// `deviceWhiteBalanceGains`.
  case whiteBalanceGains
  /// `isAdjustingWhiteBalance`.
  case whiteBalanceAdjusting
  /// 1 and more (`videoZoomFactor`).
  case zoomFactor
  /// `isRampingVideoZoom`.
  case zoomRamping
  /// `torchMode`.
  case torchMode
  /// 0 to 1 (`torchLevel`).
  case torchLevel
  /// `isTorchActive`.
  case torchActive
  /// `flashMode`.
  case flashMode
  /// 0 to 1.
  case flashLevel
  /// `isFlashActive`.
  case flashActive
  /// `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
  case frameDuration
  // Clients set flips as controls. They are settings here so that frames can say with which flips they were taken.
  /// Whether the driver mirrors left to right (`V4L2_CID_HFLIP`).
  case horizontalFlip
  /// Whether the driver mirrors top to bottom (`V4L2_CID_VFLIP`).
  case verticalFlip

  /// The name that watches, messages and people use: "focus.lens_position".
  public var name: String { row.name }

  /// `nil`: no setting has the name.
  public init?(name: String) {
    guard let setting = Setting.allCases.first(where: { $0.name == name }) else { return nil }
    self = setting
  }

  /// The part of its name before the dot: "focus".
  public var group: Substring { Substring(settingGroup.name) }

  /// Its group. Groups are an enumeration, so that every switch over them has to decide on a new one.
  package var settingGroup: SettingGroup { row.group }

  /// The part after the dot, or the whole name where there is no dot: "lens_position".
  public var nameInGroup: Substring { name.split(separator: ".").last! }

  /// The field of `FrameSettings` (media.proto, and JSON) that has its value: "exposure_duration"; `nil`: none.
  package var frameField: String? { row.frameField }

  /// Its index in tables by setting.
  @usableFromInline var place: Int { Int(rawValue) }

  /// How many settings there are.
  @usableFromInline static let count = allCases.count

  /// The settings that a name from a person means: one by its own name, or all of a group. Flips are not among them: people set them as controls.
  package static func named(_ name: String) -> [Setting] { byName[name] ?? [] }

  /// A table, so that a name is found fast: a request may have hundreds of names, and there may be a thousand requests at once.
  private static let byName = Setting.allCases.reduce(into: [String: [Setting]]()) { table, setting in
    guard !setting.row.isControl else { return }
    for name in Set([setting.name, String(setting.group)]) { table[name, default: []].append(setting) }
  }

  /// The unit of its value: "s"; empty for factors and fractions.
  public var unit: String { row.unit }

  /// What a person reads before its number: "ISO"; empty where the unit says enough.
  package var word: String { row.word ?? String(nameInGroup) }

  /// The settings of an exposure that is set by hand: they can be set with the exposure mode `custom` only.
  package static let ofCustomExposure = Setting.allCases.filter(\.row.isCustomExposure)
}

extension Setting: CustomStringConvertible {
  public var description: String { name }
}
