import CaptureClient
import CaptureWire

extension JSON {
  init(_ about: CameraAbout) {
    let description = about.settings
    self = [
      "camera": .string(description.device),
      "device": about.camera.map { JSON($0) } ?? .null,
      "formats": .array(about.formats.map { JSON($0) }),
      "presets": about.presetsJSON,
      "focus": description.focus.map { JSON($0) } ?? .null,
      "exposure": description.exposure.map { JSON($0) } ?? .null,
      "white_balance": description.whiteBalance.map { JSON($0) } ?? .null,
      "zoom": description.zoom.map {
        [
          "maximum": .number($0.maximum, decimals: 3), "kind": .string($0.kind.word),
          "reason": $0.reason.isEmpty ? .null : .string($0.reason),
        ]
      } ?? .null,
      "torch": description.torch.map { JSON($0) } ?? .null,
      "flash": description.flash.map { JSON($0) } ?? .null,
      "frame_duration": Self.range(description.frameDuration),
      "calibrated": .bool(description.calibrated),
      "controls": .array(description.controls.map { JSON($0) }),
      "other_controls": .array(about.otherControls.map { JSON($0) }),
    ]
  }

  private init(_ focus: FocusDescription) {
    self =
      ([
        "modes": Self.words(focus.modes), "software_modes": Self.words(focus.softwareModes),
        "point_of_interest": .bool(focus.pointOfInterest), "ranges": Self.words(focus.ranges),
      ] as JSON).adding(Self.ranges(FocusSettings.fields, focus))
  }

  private init(_ exposure: ExposureDescription) {
    self =
      ([
        "modes": Self.words(exposure.modes), "software_modes": Self.words(exposure.softwareModes),
        "bias": Self.range(exposure.bias), "point_of_interest": .bool(exposure.pointOfInterest),
      ] as JSON).adding(Self.ranges(ExposureSettings.fields, exposure))
  }

  private init(_ balance: WhiteBalanceDescription) {
    self =
      ([
        "modes": Self.words(balance.modes), "software_modes": Self.words(balance.softwareModes),
        "gains": Self.range(balance.gains), "red_balance": Self.range(balance.redBalance),
        "blue_balance": Self.range(balance.blueBalance), "grey_world": .bool(balance.greyWorld),
      ] as JSON).adding(Self.ranges(WhiteBalanceSettings.fields, balance))
  }

  private init(_ light: LightDescription) {
    self = [
      "modes": Self.words(light.modes), "software_modes": Self.words(light.softwareModes),
      "level": .bool(light.level), "source": .string(light.source),
    ]
  }

  private init(_ use: ControlUse) {
    self = [
      "setting": .string(use.setting), "control": .string(use.control), "control_id": JSON(use.controlID),
      "conversion": .string(use.conversion), "delay_frames": JSON(use.delayFrames),
      "delay_provenance": .string(use.delayProvenance.word),
    ]
  }

  private static func words<Value: WordedValue>(_ values: [Value]) -> JSON {
    .array(values.map { .string($0.word) })
  }

  /// What the numbers of a group can be set to; `null`: cannot be set.
  private static func ranges<Settings, Description, Change>(
    _ fields: [SettingField<Settings, Description, Change>], _ description: Description
  ) -> JSON {
    .object(
      fields.compactMap { field in field.range.map { (field.name, range(description[keyPath: $0])) } })
  }

  private static func range(_ range: ValueRange?) -> JSON {
    range.map {
      [
        "minimum": .number($0.minimum, decimals: 9), "maximum": .number($0.maximum, decimals: 9),
        "step": .number($0.step, decimals: 9), "default": .number($0.defaultValue, decimals: 9),
        "items": .array($0.items.map { .number($0, decimals: 9) }),
      ]
    } ?? .null
  }
}
