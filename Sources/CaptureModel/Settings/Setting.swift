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

  /// What a picture shows by itself, at whichever time: not a mode, nor what only a mode of the camera's acts by.
  var showsInPictures: Bool {
    switch self {
    case .lensPosition, .exposureDuration, .iso, .gain, .temperature, .whiteBalanceGains, .zoomFactor,
      .torchLevel:
      true
    default: false
    }
  }

  /// By its place: its raw value would be hashed as a text, for each look into a table. Sound: a case without a payload is its number, and no more.
  public func hash(into hasher: inout Hasher) {
    withUnsafeBytes(of: self) { hasher.combine(bytes: $0) }
  }

  /// What is before the dot: "focus".
  public var group: Substring { rawValue.prefix { $0 != "." } }

  /// Whether a name that a person gave means it: its own name, or its group's. A flip goes by its control's name.
  public func matches(_ name: String) -> Bool {
    self != .horizontalFlip && self != .verticalFlip && (name == rawValue || name == group)
  }
}

extension Setting: CustomStringConvertible {
  public var description: String { rawValue }
}
