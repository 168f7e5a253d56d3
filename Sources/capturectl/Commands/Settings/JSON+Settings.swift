import CaptureClient

extension CameraSettings: JSONValue {
  var json: JSON {
    [
      "focus": focus, "exposure": exposure, "white_balance": whiteBalance, "zoom": zoom, "torch": torch,
      "flash": flash, "minimum_frame_duration": Self.json(frameDuration?.minimum),
      "maximum_frame_duration": Self.json(frameDuration?.maximum),
    ]
  }

  /// A bound as a fraction, without the rate that other intervals have.
  private static func json(_ bound: FrameInterval?) -> JSON {
    bound.map { ["numerator": $0.numerator, "denominator": $0.denominator] as JSON }.json
  }
}

extension CameraSettings.Focus: JSONValue {
  var json: JSON {
    (["mode": mode.word] as JSON).adding(JSON.numbers("focus", numbers)).adding([
      "point": point, "range": range?.word ?? "unknown", "adjusting": isAdjusting, "software": isSoftware,
      "failure": failure,
    ])
  }
}

extension CameraSettings.Exposure: JSONValue {
  var json: JSON {
    (["mode": mode.word] as JSON).adding(JSON.numbers("exposure", numbers)).adding([
      "bias": JSON.number(bias, decimals: 3), "point": point, "adjusting": isAdjusting,
      "software": isSoftware, "failure": failure,
    ])
  }
}

extension CameraSettings.WhiteBalance: JSONValue {
  var json: JSON {
    (["mode": mode.word] as JSON).adding(JSON.numbers("white_balance", numbers)).adding([
      "gains": gains, "adjusting": isAdjusting, "software": isSoftware, "failure": failure,
    ])
  }
}

extension CameraSettings.Zoom: JSONValue {
  var json: JSON { ["factor": factor, "ramping": isRamping, "kind": kind.word] }
}

extension CameraSettings.Light: JSONValue {
  var json: JSON { ["mode": mode.word, "level": level, "active": isActive, "software": isSoftware] }
}

/// The settings with which a frame was taken.
extension FrameSettings: JSONValue {
  var json: JSON {
    let numbers = Self.settings.compactMap { setting in setting.frameField.map { ($0, self[setting].json) } }
    return (["change": change] as JSON).adding(.object(numbers)).adding([
      "white_balance_gains": whiteBalanceGains
    ])
  }
}

extension ClampedValue: JSONValue {
  var json: JSON {
    [
      "name": name, "asked": JSON.number(asked, decimals: 9), "set": JSON.number(set, decimals: 9),
      "step": step > 0 ? JSON.number(step, decimals: 9) : .null,
    ]
  }
}

/// The number and time of a frame.
extension AppliedChange.Position: JSONValue {
  var json: JSON { ["sequence": sequence, "timestamp_ns": timestamp, "clock": "node's CLOCK_MONOTONIC"] }
}

extension NormalizedPoint: JSONValue {
  var json: JSON { ["x": JSON.number(x, decimals: 6), "y": JSON.number(y, decimals: 6)] }
}

extension Observed: JSONValue where Value: Measured {
  var json: JSON {
    Value.members(of: provenance == .unknown ? nil : value).adding(["provenance": provenance.word])
  }
}

/// The type of a value that can be observed.
protocol Measured {
  /// An object that shows the value. `value`: `nil`: it is not known.
  static func members(of value: Self?) -> JSON
}

extension Double: Measured {
  static func members(of value: Double?) -> JSON {
    ["value": value.map { JSON.number($0, decimals: 9) }]
  }
}

extension WhiteBalanceGains: Measured {
  static func members(of gains: WhiteBalanceGains?) -> JSON {
    func number(_ gain: Double?) -> JSON { gain.map { JSON.number($0, decimals: 4) }.json }
    return ["red": number(gains?.red), "green": number(gains?.green), "blue": number(gains?.blue)]
  }
}

extension JSON {
  /// The first frame that has a change.
  init(_ change: UInt64, _ frame: AppliedChange.Position?, _ provenance: Provenance) {
    self = ["change": change, "frame": frame, "next_stream": frame == nil, "provenance": provenance.word]
  }

  /// The numbers of a group, by their names in the group.
  fileprivate static func numbers(_ group: String, _ numbers: SettingKeyed<Observed<Double>>) -> JSON {
    .object(Setting.numbers(of: group).map { (String($0.nameInGroup), numbers[$0].json) })
  }
}
