/// A camera's setting by the name that it has in watches and mappings.
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
  // What frames show of controls that are set as such.
  case horizontalFlip = "flip.horizontal"
  case verticalFlip = "flip.vertical"

  /// By its place: its raw value would be hashed as a text, for each look into a table. Sound: a case without a payload is its number, and no more.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes(of: self) { hasher.combine(bytes: $0) }
  }

  /// What is before the dot: "focus".
  public var group: Substring { rawValue.prefix { $0 != "." } }

  /// What is behind the dot, or the whole name where there is none: "lens_position".
  public var nameInGroup: Substring { rawValue.split(separator: ".").last! }

  /// Whether a name that a person gave means it: its own name, or its group's. What is set as a control goes by the control's name.
  public func matches(_ name: String) -> Bool {
    !row.isControl && (name == rawValue || name == group)
  }

  /// Unit of its value: "s"; empty for factors and fractions.
  public var unit: String { row.unit }

  /// Those that are set by hand, and so with the exposure mode `custom` alone.
  package static let ofCustomExposure = Setting.allCases.filter(\.row.isCustomExposure)
}

extension Setting: CustomStringConvertible {
  public var description: String { rawValue }
}
