import CaptureModel

@testable import CaptureControls

/// The controls of a desk webcam as uvcvideo lists them, and other cameras' that settings use.
enum Webcam {
  static func integer(
    _ id: ControlID, _ name: String, _ minimum: Int64, _ maximum: Int64, step: UInt64 = 1,
    default value: Int64,
    flags: ControlFlags = []
  ) -> ControlDescription {
    ControlDescription(
      id: id, name: name, label: name, type: .integer, minimum: minimum, maximum: maximum, step: step,
      defaultValue: value, flags: flags)
  }

  static func boolean(_ id: ControlID, _ name: String, default value: Int64 = 1) -> ControlDescription {
    ControlDescription(id: id, name: name, label: name, type: .boolean, maximum: 1, defaultValue: value)
  }

  static func menu(_ id: ControlID, _ name: String, _ items: [Int64], default value: Int64)
    -> ControlDescription
  {
    ControlDescription(
      id: id, name: name, label: name, type: .menu, minimum: items.min()!, maximum: items.max()!,
      defaultValue: value,
      menu: items.map { ControlDescription.MenuItem(index: $0, content: .name("item \($0)")) })
  }

  static func integerMenu(_ id: ControlID, _ name: String, _ items: [Int64]) -> ControlDescription {
    ControlDescription(
      id: id, name: name, label: name, type: .integerMenu, maximum: Int64(items.count - 1),
      menu: items.enumerated().map { .init(index: Int64($0.offset), content: .value($0.element)) })
  }

  static func button(_ id: ControlID, _ name: String) -> ControlDescription {
    ControlDescription(id: id, name: name, label: name, type: .button)
  }

  static let exposureMenu = menu(.autoExposure, "auto_exposure", [1, 3], default: 3)
  static let exposure = integer(
    .exposureAbsolute, "exposure_time_absolute", 3, 2047, default: 250, flags: .inactive)
  static let gain = integer(.gain, "gain", 0, 255, default: 0)
  static let autoFocus = boolean(.autoFocus, "focus_automatic_continuous")
  static let focus = integer(.focusAbsolute, "focus_absolute", 0, 250, step: 5, default: 0, flags: .inactive)
  static let autoWhite = boolean(.autoWhiteBalance, "white_balance_automatic")
  static let temperature = integer(
    .whiteBalanceTemperature, "white_balance_temperature", 2000, 6500, step: 10, default: 4000,
    flags: .inactive)
  static let zoom = integer(.zoomAbsolute, "zoom_absolute", 100, 500, default: 100)

  static let controls = [
    exposureMenu, exposure, gain, autoFocus, focus, autoWhite, temperature, zoom,
  ]

  /// As they are after plugging in.
  static func numbers(_ controls: [ControlDescription]) -> SettingsMap.Numbers {
    SettingsMap.Numbers(uniqueKeysWithValues: controls.map { ($0.id, $0.defaultValue) })
  }

  static func plan(
    _ controls: [ControlDescription] = controls, _ numbers: SettingsMap.Numbers? = nil,
    clamping: Bool = false,
    _ change: (inout SettingsChange) -> Void
  ) throws(CaptureError) -> SettingsPlan {
    var wanted = SettingsChange()
    change(&wanted)
    var planner = SettingsPlanner(
      camera: "'cam'", map: SettingsMap(controls), numbers: numbers ?? Self.numbers(controls),
      asked: .init(), clamping: clamping)
    return try planner.plan(wanted)
  }
}
