import CaptureClient

extension JSON {
  init(_ settings: CameraSettings) {
    self = [
      "focus": settings.focus.map { JSON($0) } ?? .null,
      "exposure": settings.exposure.map { JSON($0) } ?? .null,
      "white_balance": settings.whiteBalance.map { JSON($0) } ?? .null,
      "zoom": settings.zoom.map { JSON($0) } ?? .null,
      "torch": settings.torch.map { JSON($0) } ?? .null,
      "flash": settings.flash.map { JSON($0) } ?? .null,
      "minimum_frame_duration": Self.interval(settings.frameDuration?.minimum),
      "maximum_frame_duration": Self.interval(settings.frameDuration?.maximum),
    ]
  }

  /// The settings with which a frame was taken.
  init(_ settings: FrameSettings) {
    let numbers = FrameSettings.settings.compactMap { setting in
      setting.frameField.map { ($0, Self.observed(settings[setting])) }
    }
    self = (["change": JSON(settings.change)] as JSON).adding(.object(numbers)).adding([
      "white_balance_gains": Self.gains(settings.whiteBalanceGains)
    ])
  }

  /// The first frame that has a change.
  init(_ change: UInt64, _ frame: AppliedChange.Position?, _ provenance: Provenance) {
    self = [
      "change": JSON(change), "frame": Self.frame(frame), "next_stream": .bool(frame == nil),
      "provenance": .string(provenance.word),
    ]
  }

  init(_ value: ClampedValue) {
    self = [
      "name": .string(value.name), "asked": .number(value.asked, decimals: 9),
      "set": .number(value.set, decimals: 9),
      "step": value.step > 0 ? .number(value.step, decimals: 9) : .null,
    ]
  }

  /// The number and time of a frame; `null` where there is none.
  static func frame(_ frame: AppliedChange.Position?) -> JSON {
    frame.map {
      [
        "sequence": JSON($0.sequence), "timestamp_ns": JSON($0.timestamp),
        "clock": "node's CLOCK_MONOTONIC",
      ]
    } ?? .null
  }

  private static func interval(_ interval: FrameInterval?) -> JSON {
    interval.map {
      ["numerator": JSON($0.numerator), "denominator": JSON($0.denominator)]
    } ?? .null
  }

  private init(_ focus: CameraSettings.Focus) {
    self = (["mode": .string(focus.mode.word)] as JSON).adding(Self.numbers("focus", focus.numbers)).adding([
      "point": Self.point(focus.point), "range": .string(focus.range?.word ?? "unknown"),
      "adjusting": .bool(focus.isAdjusting), "software": .bool(focus.isSoftware),
      "failure": JSON(focus.failure),
    ])
  }

  private init(_ exposure: CameraSettings.Exposure) {
    self = (["mode": .string(exposure.mode.word)] as JSON).adding(Self.numbers("exposure", exposure.numbers))
      .adding([
        "bias": .number(exposure.bias, decimals: 3),
        "point": Self.point(exposure.point), "adjusting": .bool(exposure.isAdjusting),
        "software": .bool(exposure.isSoftware),
        "failure": JSON(exposure.failure),
      ])
  }

  private init(_ balance: CameraSettings.WhiteBalance) {
    self = (["mode": .string(balance.mode.word)] as JSON).adding(
      Self.numbers("white_balance", balance.numbers)
    ).adding([
      "gains": Self.gains(balance.gains),
      "adjusting": .bool(balance.isAdjusting), "software": .bool(balance.isSoftware),
      "failure": JSON(balance.failure),
    ])
  }

  private init(_ zoom: CameraSettings.Zoom) {
    self = [
      "factor": Self.observed(zoom.factor), "ramping": .bool(zoom.isRamping), "kind": .string(zoom.kind.word),
    ]
  }

  private init(_ light: CameraSettings.Light) {
    self = [
      "mode": .string(light.mode.word), "level": Self.observed(light.level), "active": .bool(light.isActive),
      "software": .bool(light.isSoftware),
    ]
  }

  static func observed(_ value: Observed<Double>?) -> JSON {
    value.map {
      [
        "value": $0.provenance == .unknown ? .null : .number($0.value, decimals: 9),
        "provenance": .string($0.provenance.word),
      ]
    } ?? .null
  }

  /// The numbers of a group, by their names in it.
  private static func numbers(_ group: String, _ numbers: SettingKeyed<Observed<Double>>) -> JSON {
    .object(Setting.numbers(of: group).map { (String($0.nameInGroup), observed(numbers[$0])) })
  }

  private static func gains(_ gains: Observed<WhiteBalanceGains>?) -> JSON {
    guard let gains else { return .null }
    let known = gains.provenance == .unknown ? nil : gains.value
    func number(_ gain: Double?) -> JSON { gain.map { .number($0, decimals: 4) } ?? .null }
    return [
      "red": number(known?.red), "green": number(known?.green), "blue": number(known?.blue),
      "provenance": .string(gains.provenance.word),
    ]
  }

  private static func point(_ point: NormalizedPoint?) -> JSON {
    point.map { ["x": .number($0.x, decimals: 6), "y": .number($0.y, decimals: 6)] } ?? .null
  }
}
