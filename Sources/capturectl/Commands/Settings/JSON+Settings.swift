import CaptureClient
import CaptureWire

import enum CaptureModel.Setting

extension JSON {
  init(_ settings: CaptureWire.CameraSettings) {
    self = [
      "focus": settings.focus.map { JSON($0) } ?? .null,
      "exposure": settings.exposure.map { JSON($0) } ?? .null,
      "white_balance": settings.whiteBalance.map { JSON($0) } ?? .null,
      "zoom": settings.zoom.map { JSON($0) } ?? .null,
      "torch": settings.torch.map { JSON($0) } ?? .null,
      "flash": settings.flash.map { JSON($0) } ?? .null,
      "minimum_frame_duration": Self.interval(settings.minimumFrameDuration),
      "maximum_frame_duration": Self.interval(settings.maximumFrameDuration),
    ]
  }

  /// The settings with which a frame was taken.
  init(_ settings: FrameSettings) {
    let numbers = FrameSettings.fields.map { ($0.name, Self.observed($0.read(settings))) }
    self = (["change": JSON(settings.change)] as JSON).adding(.object(numbers)).adding([
      "white_balance_gains": Self.gains(
        settings.whiteBalanceGains, settings.whiteBalanceGainsProvenance)
    ])
  }

  init(_ applied: RemoteAppliedChange) {
    self = [
      "change": JSON(applied.change), "frame": Self.frame(applied.frame),
      "next_stream": .bool(applied.nextStream), "provenance": .string(applied.provenance.word),
    ]
  }

  init(_ value: RemoteClampedValue) {
    self = [
      "name": .string(value.name), "asked": .number(value.asked, decimals: 9),
      "set": .number(value.set, decimals: 9),
      "step": value.step > 0 ? .number(value.step, decimals: 9) : .null,
    ]
  }

  /// The number and time of a frame; `null` where there is none.
  static func frame(_ frame: FramePosition?) -> JSON {
    frame.map {
      [
        "sequence": JSON($0.sequence), "timestamp_ns": JSON($0.timestampNs),
        "clock": "node's CLOCK_MONOTONIC",
      ]
    } ?? .null
  }

  private static func interval(_ interval: CaptureWire.FrameInterval?) -> JSON {
    interval.flatMap { $0.denominator == 0 ? nil : $0 }.map {
      ["numerator": JSON($0.numerator), "denominator": JSON($0.denominator)]
    } ?? .null
  }

  private init(_ focus: FocusSettings) {
    let numbers = FocusSettings.fields.map { ($0.name, Self.observed(focus[keyPath: $0.current])) }
    self = (["mode": .string(focus.mode.word)] as JSON).adding(.object(numbers)).adding([
      "point": Self.point(focus.point), "range": .string(focus.range.word),
      "adjusting": .bool(focus.adjusting), "software": .bool(focus.software),
      "failure": focus.failure.isEmpty ? .null : .string(focus.failure),
    ])
  }

  private init(_ exposure: ExposureSettings) {
    let numbers = ExposureSettings.fields.map { ($0.name, Self.observed(exposure[keyPath: $0.current])) }
    self = (["mode": .string(exposure.mode.word)] as JSON).adding(.object(numbers)).adding([
      "bias": .number(exposure.bias, decimals: 3),
      "point": Self.point(exposure.point), "adjusting": .bool(exposure.adjusting),
      "software": .bool(exposure.software),
      "failure": exposure.failure.isEmpty ? .null : .string(exposure.failure),
    ])
  }

  private init(_ balance: WhiteBalanceSettings) {
    let numbers = WhiteBalanceSettings.fields.map { ($0.name, Self.observed(balance[keyPath: $0.current])) }
    self = (["mode": .string(balance.mode.word)] as JSON).adding(.object(numbers)).adding([
      "gains": Self.gains(balance.gains, balance.gainsProvenance),
      "adjusting": .bool(balance.adjusting), "software": .bool(balance.software),
      "failure": balance.failure.isEmpty ? .null : .string(balance.failure),
    ])
  }

  private init(_ zoom: ZoomSettings) {
    self = [
      "factor": Self.observed(zoom.factor), "ramping": .bool(zoom.ramping), "kind": .string(zoom.kind.word),
    ]
  }

  private init(_ light: LightSettings) {
    self = [
      "mode": .string(light.mode.word), "level": Self.observed(light.level), "active": .bool(light.active),
      "software": .bool(light.software),
    ]
  }

  static func observed(_ value: Observed?) -> JSON {
    value.map {
      [
        "value": $0.provenance == .unknown ? .null : .number($0.value, decimals: 9),
        "provenance": .string($0.provenance.word),
      ]
    } ?? .null
  }

  private static func gains(_ gains: ColourGains?, _ provenance: Provenance) -> JSON {
    if provenance == .unspecified { return .null }
    func number(_ gain: Double?) -> JSON { gain.map { .number($0, decimals: 4) } ?? .null }
    let known = provenance == .unknown ? nil : gains
    return [
      "red": number(known?.red), "green": number(known?.green), "blue": number(known?.blue),
      "provenance": .string(provenance.word),
    ]
  }

  private static func point(_ point: Point?) -> JSON {
    point.map { ["x": .number($0.x, decimals: 6), "y": .number($0.y, decimals: 6)] } ?? .null
  }
}

extension SettingField {
  /// Its name in its group: "lens_position".
  var name: String { String(setting.nameInGroup) }
}
