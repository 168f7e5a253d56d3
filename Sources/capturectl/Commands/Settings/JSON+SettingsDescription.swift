import CaptureClient

extension JSON {
  init(_ about: CameraAbout) {
    let description = about.settings
    self = [
      "camera": .string(about.id),
      "device": about.info.map { JSON($0) } ?? .null,
      "formats": .array(about.formats.map { JSON($0) }),
      "presets": about.presetsJSON,
      "focus": description.focus.map { JSON($0) } ?? .null,
      "exposure": description.exposure.map { JSON($0) } ?? .null,
      "white_balance": description.whiteBalance.map { JSON($0) } ?? .null,
      "zoom": description.zoom.map {
        [
          "maximum": .number($0.maximum, decimals: 3), "kind": .string($0.kind.word),
          "reason": JSON($0.reason),
        ]
      } ?? .null,
      "torch": description.torch.map { JSON($0) } ?? .null,
      "flash": description.flash.map { JSON($0) } ?? .null,
      "frame_duration": Self.range(description.frameDuration),
      "recent_frames": description.recentFrames.map { JSON($0) } ?? .null,
      "calibrated": .bool(description.isCalibrated),
      "controls": .array(description.controls.map { JSON($0) }),
      "other_controls": .array(about.otherControls.map { JSON($0) }),
    ]
  }

  private init(_ focus: SettingsDescription.Focus) {
    self =
      ([
        "modes": Self.words(focus.modes), "software_modes": Self.words(focus.softwareModes),
        "point_of_interest": .bool(focus.hasPointOfInterest), "ranges": Self.words(focus.ranges),
      ] as JSON).adding(Self.ranges("focus", focus.numbers))
  }

  private init(_ exposure: SettingsDescription.Exposure) {
    self =
      ([
        "modes": Self.words(exposure.modes), "software_modes": Self.words(exposure.softwareModes),
        "bias": Self.range(exposure.bias), "point_of_interest": .bool(exposure.hasPointOfInterest),
      ] as JSON).adding(Self.ranges("exposure", exposure.numbers))
  }

  private init(_ balance: SettingsDescription.WhiteBalance) {
    self =
      ([
        "modes": Self.words(balance.modes), "software_modes": Self.words(balance.softwareModes),
        "gains": Self.range(balance.gains), "red_balance": Self.range(balance.balances?.red),
        "blue_balance": Self.range(balance.balances?.blue), "grey_world": .bool(balance.hasGreyWorld),
      ] as JSON).adding(Self.ranges("white_balance", balance.numbers))
  }

  private init(_ light: SettingsDescription.Light) {
    self = [
      "modes": Self.words(light.modes), "software_modes": Self.words(light.softwareModes),
      "level": .bool(light.hasLevel), "source": .string(light.source),
    ]
  }

  private init(_ use: SettingsDescription.ControlUse) {
    self = [
      "setting": .string(use.setting.name), "control": .string(use.name),
      "control_id": JSON(use.control.rawValue),
      "conversion": .string(use.conversion), "delay_frames": JSON(use.delay.frames),
      "delay_provenance": .string(use.delay.provenance.word),
    ]
  }

  private static func words<Value: WordedValue>(_ values: [Value]) -> JSON {
    .array(values.map { .string($0.word) })
  }

  /// What the numbers of a group can be set to; `null`: cannot be set.
  private static func ranges(_ group: String, _ numbers: SettingKeyed<SettingsDescription.ValueRange>) -> JSON
  {
    .object(
      Setting.numbers(of: group).filter { $0 != .exposureTargetOffset }.map {
        (String($0.nameInGroup), range(numbers[$0]))
      })
  }

  private static func range(_ range: SettingsDescription.ValueRange?) -> JSON {
    range.map {
      [
        "minimum": .number($0.minimum, decimals: 9), "maximum": .number($0.maximum, decimals: 9),
        "step": .number($0.step, decimals: 9), "default": .number($0.defaultValue, decimals: 9),
        "items": .array($0.items.map { .number($0, decimals: 9) }),
      ]
    } ?? .null
  }
}

extension JSON {
  fileprivate init(_ recent: RecentReach) {
    self = [
      "seconds": .number(recent.duration / .seconds(1), decimals: 3), "frames": JSON(recent.frames),
      "bytes": JSON(recent.bytes), "bound": JSON(recent.bound),
    ]
  }
}
