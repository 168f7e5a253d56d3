import CaptureModel

/// Maps a camera's settings to V4L2's controls: which control has a value, and which controls make a mode. Only this type defines the mapping;
/// `docs/controls.md` shows it for people.
enum ControlMapping {
  /// The control that has a setting's value, and the conversion of its numbers.
  struct Value: Sendable {
    let setting: Setting
    let control: ControlID
    let conversion: ValueConversion
    /// Whether the control moves a part of the camera, such as the lens, which takes time.
    var isActuator = false
  }

  /// If a setting has several rows, the first whose control the camera has is used.
  static let values: [Value] = [
    Value(setting: .lensPosition, control: .focusAbsolute, conversion: .nearToFar, isActuator: true),
    Value(
      setting: .exposureDuration, control: .exposureAbsolute, conversion: .scaled(1e-4, text: "× 100 µs")),
    // This control counts lines; the sensor's blanking and pixel rate give the length of a line.
    Value(setting: .exposureDuration, control: .exposureLines, conversion: .lines(0)),
    Value(setting: .iso, control: .isoSensitivity, conversion: .items(1e-3, text: "item ÷ 1000")),
    Value(setting: .gain, control: .gain, conversion: .scaled(1, text: "as it is")),
    Value(setting: .gain, control: .analogueGain, conversion: .scaled(1, text: "as it is")),
    Value(setting: .iris, control: .irisAbsolute, conversion: .scaled(1, text: "as it is"), isActuator: true),
    Value(
      setting: .exposureBias, control: .autoExposureBias, conversion: .items(1e-3, text: "item × 0.001 EV")),
    Value(
      setting: .temperature, control: .whiteBalanceTemperature, conversion: .scaled(1, text: "kelvin")),
    Value(setting: .zoomFactor, control: .zoomAbsolute, conversion: .overMinimum, isActuator: true),
    Value(setting: .torchLevel, control: .torchIntensity, conversion: .fraction),
    Value(setting: .flashLevel, control: .flashIntensity, conversion: .fraction),
  ]

  /// The settings of a group whose values controls have.
  static func settings(of group: SettingGroup) -> [Setting] { settings[group] ?? [] }

  private static let settings = Dictionary(
    grouping: Setting.allCases.filter { setting in values.contains { $0.setting == setting } },
    by: \.settingGroup)

  /// White balance gains. The gains of red and blue over green are `V4L2_CID_RED_BALANCE` and `V4L2_CID_BLUE_BALANCE` divided by their defaults,
  /// which drivers with these controls usually mean as neutral. So the gains are never more than assumed.
  static let gains: (red: ControlID, blue: ControlID) = (.redBalance, .blueBalance)

  /// Controls that mirror the sensor's picture. They are set like any other control. Where a frame shows a point of interest depends on them.
  static let flips: [(setting: Setting, control: ControlID)] = [
    (.horizontalFlip, .horizontalFlip), (.verticalFlip, .verticalFlip),
  ]

  /// A control that a mode sets, to the first of ``choices`` that the camera's menu has.
  struct Switch: Sendable {
    let control: ControlID
    let choices: [Int64]
    /// For a bit mask, the bits that the mode sets; it leaves the others.
    var bits: Int64?

    init(_ control: ControlID, _ choices: Int64..., bits: Int64? = nil) {
      self.control = control
      self.choices = choices
      self.bits = bits
    }
  }

  /// The controls that make a mode: every switch that the camera has, then a button.
  struct Mode<Name: Hashable & Sendable>: Sendable {
    let mode: Name
    let switches: [Switch]
    /// Whether the camera must have one of the switches.
    var needsSwitch = true
    /// A button that is pressed last. The camera must have it.
    var button: ControlID?
    /// The camera must have a control for one of these settings.
    var values: [Setting] = []
    /// Those of `switches` that the camera has. Set in its ``SettingsMap``.
    var existing: [(row: Switch, control: ControlDescription)] = []
  }

  /// `V4L2_LOCK_EXPOSURE`, `V4L2_LOCK_WHITE_BALANCE`, `V4L2_LOCK_FOCUS`
  private static let (exposureLock, whiteBalanceLock, focusLock): (Int64, Int64, Int64) = (1, 2, 4)

  static let focusModes: [Mode<FocusMode>] = [
    Mode(
      mode: .continuous, switches: [Switch(.lock3A, 0, bits: focusLock), Switch(.autoFocus, 1)]),
    Mode(mode: .auto, switches: [Switch(.autoFocus, 0)], needsSwitch: false, button: .autoFocusStart),
    Mode(mode: .locked, switches: [Switch(.autoFocus, 0)], needsSwitch: false, values: [.lensPosition]),
    Mode(mode: .locked, switches: [Switch(.autoFocus, 0)]),
  ]

  /// `V4L2_EXPOSURE_AUTO` (0), `_MANUAL` (1), `_SHUTTER_PRIORITY` (2), `_APERTURE_PRIORITY` (3): UVC cameras have 1 and 3, or 0 to 3.
  static let exposureModes: [Mode<ExposureMode>] = [
    Mode(
      mode: .continuous,
      switches: [
        Switch(.lock3A, 0, bits: exposureLock), Switch(.autoExposure, 0, 3), Switch(.autoGain, 1),
        Switch(.autoISOSensitivity, 1),
      ]),
    Mode(
      mode: .custom,
      switches: [Switch(.autoExposure, 1, 2), Switch(.autoGain, 0), Switch(.autoISOSensitivity, 0)],
      needsSwitch: false, values: Setting.ofCustomExposure),
    Mode(mode: .locked, switches: [Switch(.lock3A, 1, bits: exposureLock)]),
    Mode(
      mode: .locked,
      switches: [Switch(.autoExposure, 1, 2), Switch(.autoGain, 0), Switch(.autoISOSensitivity, 0)],
      needsSwitch: false, values: Setting.ofCustomExposure),
  ]

  /// `V4L2_WHITE_BALANCE_MANUAL` (0), `V4L2_WHITE_BALANCE_AUTO` (1).
  static let whiteBalanceModes: [Mode<WhiteBalanceMode>] = [
    Mode(
      mode: .continuous,
      switches: [
        Switch(.lock3A, 0, bits: whiteBalanceLock), Switch(.autoWhiteBalance, 1),
        Switch(.whiteBalancePreset, 1),
      ]),
    Mode(
      mode: .auto, switches: [Switch(.autoWhiteBalance, 0), Switch(.whiteBalancePreset, 0)],
      needsSwitch: false, button: .doWhiteBalance),
    Mode(
      mode: .locked, switches: [Switch(.autoWhiteBalance, 0), Switch(.whiteBalancePreset, 0)],
      needsSwitch: false, values: [.temperature, .whiteBalanceGains]),
    Mode(mode: .locked, switches: [Switch(.autoWhiteBalance, 0), Switch(.whiteBalancePreset, 0)]),
  ]

  /// `V4L2_AUTO_FOCUS_RANGE_AUTO` (0), `_NORMAL` (1), `_MACRO` (2), `_INFINITY` (3).
  static let focusRanges: [Mode<FocusRange>] = [
    Mode(mode: .none, switches: [Switch(.autoFocusRange, 0, 1)]),
    Mode(mode: .near, switches: [Switch(.autoFocusRange, 2)]),
    Mode(mode: .far, switches: [Switch(.autoFocusRange, 3)]),
  ]

  /// `V4L2_FLASH_LED_MODE_NONE` (0), `_FLASH` (1), `_TORCH` (2). One control has both lights, so they exclude each other.
  static let torchModes: [Mode<LightMode>] = [
    Mode(mode: .on, switches: [Switch(.flashLEDMode, 2)]),
    Mode(mode: .off, switches: [Switch(.flashLEDMode, 0)]),
  ]
  static let flashModes: [Mode<LightMode>] = [
    Mode(mode: .on, switches: [Switch(.flashLEDMode, 1)]),
    Mode(mode: .off, switches: [Switch(.flashLEDMode, 0)]),
  ]
}
