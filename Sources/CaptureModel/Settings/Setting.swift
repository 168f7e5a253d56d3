/// A setting of a camera, by the name that watches and mappings use.
public enum Setting: String, CaseIterable, Hashable, Sendable {
  case focusMode = "focus.mode"
  case lensPosition = "focus.lens_position"
  case focusPoint = "focus.point"
  case focusRange = "focus.range"
  case focusAdjusting = "focus.adjusting"
  case exposureMode = "exposure.mode"
  case exposureDuration = "exposure.duration"
  case iso = "exposure.iso"
  case gain = "exposure.gain"
  case iris = "exposure.iris"
  case exposureBias = "exposure.bias"
  case exposureTargetOffset = "exposure.target_offset"
  case exposurePoint = "exposure.point"
  case exposureAdjusting = "exposure.adjusting"
  case whiteBalanceMode = "white_balance.mode"
  case temperature = "white_balance.temperature"
  case tint = "white_balance.tint"
  case whiteBalanceGains = "white_balance.gains"
  case whiteBalanceAdjusting = "white_balance.adjusting"
  case zoomFactor = "zoom.factor"
  case zoomRamping = "zoom.ramping"
  case torchMode = "torch.mode"
  case torchLevel = "torch.level"
  case torchActive = "torch.active"
  case flashMode = "flash.mode"
  case flashLevel = "flash.level"
  case flashActive = "flash.active"
  case frameDuration = "frame_duration"
  // Flips are set as controls, but frames show them.
  case horizontalFlip = "flip.horizontal"
  case verticalFlip = "flip.vertical"

  /// Hashes the case's number: its raw value would be hashed as text, for each look into a table. This is sound, since a case without a payload is only
  /// its number.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes(of: self) { hasher.combine(bytes: $0) }
  }

  /// The part before the dot: "focus".
  public var group: Substring { rawValue.prefix { $0 != "." } }

  /// The part after the dot, or the whole name where there is no dot: "lens_position".
  public var nameInGroup: Substring { rawValue.split(separator: ".").last! }

  /// Whether a name that a person gave means this setting: its own name, or its group's. A setting that is set as a control has the control's name.
  public func matches(_ name: String) -> Bool {
    !row.isControl && (name == rawValue || name == group)
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
