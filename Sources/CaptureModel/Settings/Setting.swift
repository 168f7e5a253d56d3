/// A setting of a camera, by the name that watches and mappings use.
public enum Setting: String, CaseIterable, Hashable, Sendable {
  /// `focusMode`.
  case focusMode = "focus.mode"
  /// 0 (nearest) to 1 (infinity). `lensPosition`.
  case lensPosition = "focus.lens_position"
  /// `focusPointOfInterest`.
  case focusPoint = "focus.point"
  /// `autoFocusRangeRestriction`.
  case focusRange = "focus.range"
  /// `isAdjustingFocus`.
  case focusAdjusting = "focus.adjusting"
  /// `exposureMode`.
  case exposureMode = "exposure.mode"
  /// Seconds. `exposureDuration`.
  case exposureDuration = "exposure.duration"
  /// `iso`.
  case iso = "exposure.iso"
  /// The driver's units.
  case gain = "exposure.gain"
  /// The driver's units (`V4L2_CID_IRIS_ABSOLUTE`).
  case iris = "exposure.iris"
  /// EV. `exposureTargetBias`.
  case exposureBias = "exposure.bias"
  /// EV. `exposureTargetOffset`.
  case exposureTargetOffset = "exposure.target_offset"
  /// `exposurePointOfInterest`.
  case exposurePoint = "exposure.point"
  /// `isAdjustingExposure`.
  case exposureAdjusting = "exposure.adjusting"
  /// `whiteBalanceMode`.
  case whiteBalanceMode = "white_balance.mode"
  /// Kelvin.
  case temperature = "white_balance.temperature"
  /// -150 to 150.
  case tint = "white_balance.tint"
  /// `deviceWhiteBalanceGains`.
  case whiteBalanceGains = "white_balance.gains"
  /// `isAdjustingWhiteBalance`.
  case whiteBalanceAdjusting = "white_balance.adjusting"
  /// 1 and more. `videoZoomFactor`.
  case zoomFactor = "zoom.factor"
  /// `isRampingVideoZoom`.
  case zoomRamping = "zoom.ramping"
  /// `torchMode`.
  case torchMode = "torch.mode"
  /// 0 to 1. `torchLevel`.
  case torchLevel = "torch.level"
  /// `isTorchActive`.
  case torchActive = "torch.active"
  /// `flashMode`.
  case flashMode = "flash.mode"
  /// 0 to 1.
  case flashLevel = "flash.level"
  /// `isFlashActive`.
  case flashActive = "flash.active"
  /// `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
  case frameDuration = "frame_duration"
  // Flips are set as controls, but frames show them.
  /// Whether the driver mirrors left to right (`V4L2_CID_HFLIP`).
  case horizontalFlip = "flip.horizontal"
  /// Whether the driver mirrors top to bottom (`V4L2_CID_VFLIP`).
  case verticalFlip = "flip.vertical"

  /// Hashes the setting's number: its raw value would be hashed as text, for each look into a table.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }

  /// The part before the dot: "focus".
  public var group: Substring { rawValue.prefix { $0 != "." } }

  /// The part after the dot, or the whole name where there is no dot: "lens_position".
  public var nameInGroup: Substring { rawValue.split(separator: ".").last! }

  /// The settings that a name from a person means: one by its own name, or all of a group. A setting that is set as a control has the control's name.
  package static func named(_ name: String) -> [Setting] { byName[name] ?? [] }

  /// A request may have hundreds of names, and there may be a thousand requests at once.
  private static let byName = Setting.allCases.reduce(into: [String: [Setting]]()) { table, setting in
    guard !setting.row.isControl else { return }
    for name in Set([setting.rawValue, String(setting.group)]) { table[name, default: []].append(setting) }
  }

  /// The unit of its value: "s"; empty for factors and fractions.
  public var unit: String { row.unit }

  /// What a person reads before its number: "ISO"; empty where the unit tells enough.
  package var word: String { row.word ?? String(nameInGroup) }

  /// The settings of an exposure that is set by hand: they can be set with the exposure mode `custom` only.
  package static let ofCustomExposure = Setting.allCases.filter(\.row.isCustomExposure)
}

extension Setting: CustomStringConvertible {
  public var description: String { rawValue }
}
