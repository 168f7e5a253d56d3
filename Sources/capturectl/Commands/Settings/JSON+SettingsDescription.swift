import CaptureClient

extension CameraOverview: JSONValue {
  var json: JSON {
    let description = settings
    return [
      "camera": id, "device": info, "formats": formats, "presets": presetsJSON, "focus": description.focus,
      "exposure": description.exposure, "white_balance": description.whiteBalance,
      "zoom": description.zoom.map {
        ["maximum": JSON.number($0.maximum, decimals: 3), "kind": $0.kind.word, "reason": $0.reason] as JSON
      },
      "torch": description.torch, "flash": description.flash,
      "frame_duration": JSON.range(description.frameDuration), "recent_frames": description.recentFrames,
      "calibrated": description.isCalibrated, "controls": description.controls,
      "other_controls": otherControls,
    ]
  }
}

extension SettingsDescription.Light: JSONValue {
  var json: JSON {
    [
      "modes": JSON.words(modes), "software_modes": JSON.words(softwareModes), "level": hasLevel,
      "source": source,
    ]
  }
}

extension SettingsDescription.ControlUse: JSONValue {
  var json: JSON {
    [
      "setting": setting.name, "control": name, "control_id": control.rawValue, "conversion": conversion,
      "delay_frames": delay.frames, "delay_provenance": delay.provenance.word,
    ]
  }
}

extension SettingsDescription.Focus: JSONValue {
  var json: JSON {
    ([
      "modes": JSON.words(modes), "software_modes": JSON.words(softwareModes),
      "point_of_interest": hasPointOfInterest, "ranges": JSON.words(ranges),
    ] as JSON).adding(JSON.ranges("focus", numbers))
  }
}

extension SettingsDescription.Exposure: JSONValue {
  var json: JSON {
    ([
      "modes": JSON.words(modes), "software_modes": JSON.words(softwareModes), "bias": JSON.range(bias),
      "point_of_interest": hasPointOfInterest,
    ] as JSON).adding(JSON.ranges("exposure", numbers))
  }
}

extension SettingsDescription.WhiteBalance: JSONValue {
  var json: JSON {
    ([
      "modes": JSON.words(modes), "software_modes": JSON.words(softwareModes), "gains": JSON.range(gains),
      "red_balance": JSON.range(balances?.red), "blue_balance": JSON.range(balances?.blue),
      "grey_world": hasGreyWorld,
    ] as JSON).adding(JSON.ranges("white_balance", numbers))
  }
}

extension JSON {
  fileprivate static func words<Value: WordedValue>(_ values: [Value]) -> JSON {
    values.map(\.word).json
  }

  /// The ranges of the numbers of a group; `null` for a number that cannot be set.
  fileprivate static func ranges(_ group: String, _ numbers: SettingKeyed<SettingsDescription.ValueRange>)
    -> JSON
  {
    .object(
      Setting.numbers(of: group).filter { $0 != .exposureTargetOffset }.map {
        (String($0.nameInGroup), range(numbers[$0]))
      })
  }

  fileprivate static func range(_ range: SettingsDescription.ValueRange?) -> JSON {
    range.map {
      [
        "minimum": JSON.number($0.minimum, decimals: 9), "maximum": JSON.number($0.maximum, decimals: 9),
        "step": JSON.number($0.step, decimals: 9), "default": JSON.number($0.defaultValue, decimals: 9),
        "items": $0.items.map { JSON.number($0, decimals: 9) },
      ] as JSON
    }.json
  }
}

extension RecentReach: JSONValue {
  var json: JSON {
    [
      "seconds": JSON.number(duration / .seconds(1), decimals: 3), "frames": frames, "bytes": bytes,
      "bound": bound,
    ]
  }
}
