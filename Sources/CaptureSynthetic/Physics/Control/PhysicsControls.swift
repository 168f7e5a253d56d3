import CaptureControls
import CaptureModel

/// The controls of a camera with physics, and their ranges.
enum PhysicsControls {
  /// `V4L2_EXPOSURE_MANUAL`
  static let manualExposure: Int64 = 1
  /// `V4L2_EXPOSURE_APERTURE_PRIORITY`, the automatic mode of UVC cameras.
  static let automaticExposure: Int64 = 3
  /// `V4L2_FLASH_LED_MODE_NONE`
  static let ledOff: Int64 = 0
  /// `V4L2_FLASH_LED_MODE_TORCH`
  static let ledTorch: Int64 = 2

  static let focusRange: ClosedRange<Int64> = 0...1023
  static let temperatureRange: ClosedRange<Int64> = 2000...10_000
  static let balanceRange: ClosedRange<Int64> = 1...2047
  static let exposureRange: ClosedRange<Int64> = 1...5000
  static let gainRange: ClosedRange<Int64> = 0...255
  static let torchMaximum: Int64 = 100

  /// The control of the automatic mode that can take `id` over; `nil`: none can.
  static func automation(of id: ControlID) -> ControlID? {
    switch id {
    case .exposureAbsolute, .gain: .autoExposure
    case .whiteBalanceTemperature, .redBalance, .blueBalance: .autoWhiteBalance
    case .focusAbsolute: .autoFocus
    default: nil
    }
  }

  static let automations: [ControlID] = [.autoExposure, .autoFocus, .autoWhiteBalance]

  /// A change of `id` does not take effect before earlier changes of these controls have.
  static func precedents(of id: ControlID) -> [ControlID] {
    switch id {
    case .whiteBalanceTemperature, .redBalance, .blueBalance:
      [.autoWhiteBalance, .whiteBalanceTemperature, .redBalance, .blueBalance]
    default: automation(of: id).map { [$0] } ?? []
    }
  }

  static func table(_ options: PhysicsOptions) -> [ControlDescription] {
    var table = [integer(.gain, "Gain", gainRange, 0, "User Controls")]
    if options.parts.contains(.temperature) {
      table.append(
        integer(
          .whiteBalanceTemperature, "White Balance Temperature", temperatureRange, 5000, "User Controls",
          step: 10,
          flags: options.parts.contains(.colorBalance) ? .update : []))
    }
    if options.parts.contains(.colorBalance) {
      table.append(integer(.redBalance, "Red Balance", balanceRange, 512, "User Controls"))
      table.append(integer(.blueBalance, "Blue Balance", balanceRange, 512, "User Controls"))
    }
    if options.automation.contains(.whiteBalance) {
      table.append(boolean(.autoWhiteBalance, "White Balance, Automatic", "User Controls"))
    }
    if options.automation.contains(.exposure) { table += exposureModes }
    table.append(integer(.exposureAbsolute, "Exposure Time, Absolute", exposureRange, 100, "Camera Controls"))
    if options.parts.contains(.lens) {
      table.append(integer(.focusAbsolute, "Focus, Absolute", focusRange, 140, "Camera Controls"))
      if options.automation.contains(.focus) {
        table.append(boolean(.autoFocus, "Focus, Automatic Continuous", "Camera Controls"))
      }
    }
    if options.parts.contains(.zoom) {
      table.append(integer(.zoomAbsolute, "Zoom, Absolute", 100...400, 100, "Camera Controls"))
    }
    return options.parts.contains(.torch) ? table + light : table
  }

  private static let exposureModes = [
    ControlDescription(
      id: .autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu, maximum: 3,
      defaultValue: automaticExposure,
      menu: [
        ControlDescription.MenuItem(index: manualExposure, content: .name("Manual Mode")),
        ControlDescription.MenuItem(index: automaticExposure, content: .name("Aperture Priority Mode")),
      ], flags: .update, className: "Camera Controls"),
    ControlDescription(
      id: .autoExposureBias, name: "auto_exposure_bias", label: "Auto Exposure, Bias", type: .integerMenu,
      maximum: 8, defaultValue: 4,
      menu: (0...8).map { ControlDescription.MenuItem(index: $0, content: .value(($0 - 4) * 500)) },
      className: "Camera Controls"),
  ]

  private static let light = [
    ControlDescription(
      id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: 2, defaultValue: ledOff,
      menu: [
        ControlDescription.MenuItem(index: ledOff, content: .name("Off")),
        ControlDescription.MenuItem(index: ledTorch, content: .name("Torch")),
      ], className: "Flash Controls"),
    integer(.torchIntensity, "Intensity, Torch Mode", 1...torchMaximum, torchMaximum, "Flash Controls"),
  ]

  private static func integer(
    _ id: ControlID, _ label: String, _ range: ClosedRange<Int64>, _ value: Int64, _ group: String,
    step: UInt64 = 1, flags: ControlFlags = []
  ) -> ControlDescription {
    ControlDescription(
      id: id, name: name(label), label: label, type: .integer, minimum: range.lowerBound,
      maximum: range.upperBound, step: step, defaultValue: value, flags: flags, className: group)
  }

  private static func boolean(_ id: ControlID, _ label: String, _ group: String) -> ControlDescription {
    ControlDescription(
      id: id, name: name(label), label: label, type: .boolean, maximum: 1, defaultValue: 1, flags: .update,
      className: group)
  }

  /// The name that v4l2-ctl makes of a label.
  private static func name(_ label: String) -> String {
    var name = ""
    for character in label.lowercased() {
      if character.isLetter { name.append(character) } else if name.last != "_" { name.append("_") }
    }
    return name
  }
}
