/// A group of settings that belong together. It has no text as its raw value: groups would then be compared and hashed as texts. Its ``name`` is what
/// is stored.
package enum SettingGroup: CaseIterable, Sendable {
  case focus
  case exposure
  case whiteBalance
  case zoom
  case torch
  case flash
  case frameDuration
  case flip

  /// The part of its settings' names before the dot: "white_balance".
  package var name: String {
    switch self {
    case .focus: "focus"
    case .exposure: "exposure"
    case .whiteBalance: "white_balance"
    case .zoom: "zoom"
    case .torch: "torch"
    case .flash: "flash"
    case .frameDuration: "frame_duration"
    case .flip: "flip"
    }
  }

  /// The group of the setting that has this name: "focus.lens_position".
  init(ofSettingNamed name: String) {
    let group = name.prefix { $0 != "." }
    self = Self.allCases.first { $0.name == group }!
  }
}
