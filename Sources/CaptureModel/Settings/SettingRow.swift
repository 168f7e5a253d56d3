/// What is true of a setting on every camera. Settings are compared and read by the table of these rows. Other layers have tables of their own:
/// `ControlMapping` has the setting's controls, `SettingField` its fields in messages, and capturectl's `Options` its option.
public struct SettingRow: Sendable {
  public let setting: Setting
  /// "focus.lens_position": its group, a dot, its name in the group; a setting that is a group of its own has no dot.
  let name: String
  /// The part of its name before the dot. The group is found once: finding it each time that a value is read took a quarter of a change's time.
  let group: SettingGroup
  /// The field of `FrameSettings` (media.proto, and JSON) that has the number with which a frame was taken: "exposure_duration"; `nil`: none.
  var frameField: String?
  /// The unit of its number: "s"; empty for factors, fractions and the driver's own units.
  public var unit = ""
  /// The word that a person reads before its number: "ISO"; empty where the unit says enough; `nil`: its name in its group.
  var word: String?
  /// It is one of the numbers of its group.
  fileprivate var isNumber = false
  /// Its number goes from 0 to 1 on every camera.
  var isFraction = false
  /// A frame has the number that it was taken with.
  var isInFrames: Bool { frameField != nil || isControl }
  /// A single picture shows the setting at any time. That is not so for a mode, nor for a value that only an automatic mode of the camera uses.
  package var showsInPictures = false
  /// It can be set with the exposure mode `custom` only.
  package var isCustomExposure = false
  /// The automatic mode of its group neither moves it nor ends when it is set. A camera or node that exposes leaves the iris as it is.
  package var isFreeOfMode = false
  /// Clients set it as a control. It is a setting only in frames, and watchers of settings hear nothing of it.
  var isControl = false
  /// Reads its value from its group in a camera's settings, and from nothing else; `nil`: the camera does not have it.
  let read: @Sendable (CameraSettings) -> SettingValue?

  private init(
    _ setting: Setting, _ name: String, frameField: String? = nil, unit: String = "", word: String? = nil,
    isFraction: Bool = false, showsInPictures: Bool = false, isCustomExposure: Bool = false,
    isFreeOfMode: Bool = false, isControl: Bool = false,
    read: @escaping @Sendable (CameraSettings) -> SettingValue?
  ) {
    self.setting = setting
    self.name = name
    group = SettingGroup(ofSettingNamed: name)
    self.frameField = frameField
    self.unit = unit
    self.word = word
    self.isFraction = isFraction
    self.showsInPictures = showsInPictures
    self.isCustomExposure = isCustomExposure
    self.isFreeOfMode = isFreeOfMode
    self.isControl = isControl
    self.read = read
  }

  /// A setting that is one of the numbers of its group.
  private static func number(
    _ setting: Setting, _ name: String, frameField: String? = nil, unit: String = "", word: String? = nil,
    isFraction: Bool = false, showsInPictures: Bool = false, isCustomExposure: Bool = false,
    isFreeOfMode: Bool = false
  ) -> SettingRow {
    let group = SettingGroup(ofSettingNamed: name)
    var row = SettingRow(
      setting, name, frameField: frameField, unit: unit, word: word, isFraction: isFraction,
      showsInPictures: showsInPictures, isCustomExposure: isCustomExposure, isFreeOfMode: isFreeOfMode
    ) { $0.numbers(of: group)?[setting].map(SettingValue.number) }
    row.isNumber = true
    return row
  }

  /// One row for each case of `Setting`, in their order.
  static let all: [SettingRow] = [
    SettingRow(.focusMode, "focus.mode") { $0.focus.map { .mode($0.mode.rawValue, failure: $0.failure) } },
    number(
      .lensPosition, "focus.lens_position", frameField: "lens_position", word: "lens", isFraction: true,
      showsInPictures: true),
    SettingRow(.focusPoint, "focus.point") { $0.focus?.point.map(SettingValue.point) },
    SettingRow(.focusRange, "focus.range") { $0.focus?.range.map { .mode($0.rawValue, failure: nil) } },
    SettingRow(.focusAdjusting, "focus.adjusting") { $0.focus.map { .flag($0.isAdjusting) } },
    SettingRow(.exposureMode, "exposure.mode") {
      $0.exposure.map { .mode($0.mode.rawValue, failure: $0.failure) }
    },
    number(
      .exposureDuration, "exposure.duration", frameField: "exposure_duration", unit: "s", word: "",
      showsInPictures: true, isCustomExposure: true),
    number(
      .iso, "exposure.iso", frameField: "iso", word: "ISO", showsInPictures: true, isCustomExposure: true),
    number(.gain, "exposure.gain", frameField: "gain", showsInPictures: true, isCustomExposure: true),
    number(.iris, "exposure.iris", frameField: "iris", showsInPictures: true, isFreeOfMode: true),
    SettingRow(.exposureBias, "exposure.bias", frameField: "exposure_bias", unit: "EV") {
      $0.exposure.map { .number(Observed($0.bias, .reported)) }
    },
    number(.exposureTargetOffset, "exposure.target_offset", unit: "EV"),
    SettingRow(.exposurePoint, "exposure.point") { $0.exposure?.point.map(SettingValue.point) },
    SettingRow(.exposureAdjusting, "exposure.adjusting") { $0.exposure.map { .flag($0.isAdjusting) } },
    SettingRow(.whiteBalanceMode, "white_balance.mode") {
      $0.whiteBalance.map { .mode($0.mode.rawValue, failure: $0.failure) }
    },
    number(
      .temperature, "white_balance.temperature", frameField: "temperature", unit: "K", word: "",
      showsInPictures: true),
    number(.tint, "white_balance.tint", frameField: "tint"),
    SettingRow(.whiteBalanceGains, "white_balance.gains", showsInPictures: true) {
      $0.whiteBalance?.gains.map(SettingValue.gains)
    },
    SettingRow(.whiteBalanceAdjusting, "white_balance.adjusting") {
      $0.whiteBalance.map { .flag($0.isAdjusting) }
    },
    SettingRow(.zoomFactor, "zoom.factor", frameField: "zoom_factor", showsInPictures: true) {
      ($0.zoom?.factor).map(SettingValue.number)
    },
    SettingRow(.zoomRamping, "zoom.ramping") { $0.zoom.map { .flag($0.isRamping) } },
    SettingRow(.torchMode, "torch.mode") { $0.torch.map { .mode($0.mode.rawValue, failure: nil) } },
    SettingRow(.torchLevel, "torch.level", frameField: "torch_level", isFraction: true, showsInPictures: true)
    {
      $0.torch?.level.map(SettingValue.number)
    },
    SettingRow(.torchActive, "torch.active") { $0.torch.map { .flag($0.isActive) } },
    SettingRow(.flashMode, "flash.mode") { $0.flash.map { .mode($0.mode.rawValue, failure: nil) } },
    SettingRow(.flashLevel, "flash.level", isFraction: true) { $0.flash?.level.map(SettingValue.number) },
    SettingRow(.flashActive, "flash.active") { $0.flash.map { .flag($0.isActive) } },
    SettingRow(.frameDuration, "frame_duration", unit: "s") {
      $0.frameDuration.map(SettingValue.frameDuration)
    },
    SettingRow(.horizontalFlip, "flip.horizontal", isControl: true) {
      $0.horizontalFlip.map(SettingValue.number)
    },
    SettingRow(.verticalFlip, "flip.vertical", isControl: true) {
      $0.verticalFlip.map(SettingValue.number)
    },
  ]

  /// The same rows, checked: a setting's number is its row's index.
  fileprivate static let byPlace: [SettingRow] = {
    let rows = all
    precondition(rows.map(\.setting) == Setting.allCases, "a row for each setting, in their order")
    return rows
  }()
}

extension Setting {
  /// The settings that are numbers of a group, "exposure", in their order.
  public static func numbers(of group: String) -> [Setting] {
    SettingRow.all.filter { $0.isNumber && $0.setting.group == group }.map(\.setting)
  }

  package var row: SettingRow { SettingRow.byPlace[place] }
}

/// The value of a setting of any kind, for comparing.
enum SettingValue: Hashable, Sendable {
  case number(Observed<Double>)
  case mode(String, failure: String?)
  case point(NormalizedPoint)
  case flag(Bool)
  case gains(Observed<WhiteBalanceGains>)
  case frameDuration(SettingsChange.FrameDuration)
}

extension CameraSettings {
  /// The settings that differ from another state. Settings that clients set as controls are not among them.
  package func differences(from other: CameraSettings) -> [Setting] {
    // As a rule only one group has changed. Then no setting of the other groups has to be read.
    let groups = SettingGroup.allCases.filter { !isSame($0, as: other) }
    return groups.isEmpty
      ? []
      : SettingRow.all.filter { row in
        groups.contains(row.group) && !row.isControl && row.read(self) != row.read(other)
      }.map(\.setting)
  }

  /// Whether a group is the same in another state.
  private func isSame(_ group: SettingGroup, as other: CameraSettings) -> Bool {
    switch group {
    case .focus: focus == other.focus
    case .exposure: exposure == other.exposure
    case .whiteBalance: whiteBalance == other.whiteBalance
    case .zoom: zoom == other.zoom
    case .torch: torch == other.torch
    case .flash: flash == other.flash
    case .frameDuration: frameDuration == other.frameDuration
    // Clients set flips as controls.
    case .flip: true
    }
  }

  /// A setting's number; `nil` where it has none, or the camera does not have it.
  public subscript(setting: Setting) -> Observed<Double>? {
    if case .number(let number)? = setting.row.read(self) { return number }
    return nil
  }
}
