/// The settings that belong together. The raw value is the part of their names before the dot.
package enum SettingGroup: String, CaseIterable, Sendable {
  case focus
  case exposure
  case whiteBalance = "white_balance"
  case zoom
  case torch
  case flash
  case frameDuration = "frame_duration"
  case flip

  /// The group of the setting that has this name: "focus.lens_position".
  init(ofSettingNamed name: String) { self.init(rawValue: String(name.prefix { $0 != "." }))! }
}
