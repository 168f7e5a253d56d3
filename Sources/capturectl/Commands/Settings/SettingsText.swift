import CaptureClient

/// The part of a camera's settings that is shown.
enum SettingsPart {
  case focus, exposure, whiteBalance, zoom, frameDuration, torch, flash, all
}

/// Settings, one a line, for a person.
func text(_ settings: CameraSettings, _ part: SettingsPart) -> String {
  func value(_ own: SettingsPart, _ value: String?, absent: String) -> String? {
    part == own ? value ?? absent : part == .all ? value : nil
  }
  let list: TextList = [
    "focus": value(.focus, settings.focus.map(text), absent: "fixed"),
    "exposure": value(.exposure, settings.exposure.map(text), absent: "cannot be set"),
    "white balance": value(.whiteBalance, settings.whiteBalance.map(text), absent: "cannot be set"),
    "zoom": value(.zoom, settings.zoom.map(text), absent: "none"),
    "frame duration": value(.frameDuration, durationText(settings), absent: "as the format has it"),
    "torch": value(.torch, settings.torch.map(text), absent: "none"),
    "flash": value(.flash, settings.flash.map(text), absent: "none"),
  ]
  return list.text()
}

/// "change 7: from frame 1203 on, captured at 14:03:07.123 (calibrated)". `time`: that frame's time on this machine's `CLOCK_MONOTONIC`, in
/// nanoseconds.
func frameText(
  _ change: UInt64, _ frame: AppliedChange.Position?, _ provenance: Provenance, at time: UInt64?
) -> String {
  guard let frame else { return "change \(change): from the next stream's first frame on\n" }
  let moment = time.map { ", captured at \(RealTime.ofDay(monotonic: $0))" } ?? ""
  return "change \(change): from frame \(frame.sequence) on\(moment) (\(provenance.word))\n"
}

/// "focus is not done yet: --wait waits for that"; nothing where all is done.
func unfinishedText(_ result: SettingsResult, _ change: SettingsChange?) -> String {
  let unfinished = result.unfinished(of: change)
  if unfinished.isEmpty { return "" }
  let verb = unfinished.count == 1 ? "is" : "are"
  return "\(unfinished.joined(separator: " and ")) \(verb) not done yet: --wait waits for that\n"
}

/// "exposure.duration: 5 is out of range, set to 0.5", "gain: 1.5 is between the camera's steps of 1, set to 2", one a line.
func text(_ clamped: [ClampedValue]) -> String {
  clamped.map { value in
    let text = value.name == "exposure.duration" && value.step > 0 ? exposureText : plain
    let why =
      value.step > 0 ? "is between the camera's steps of \(plain(value.step))" : "is out of range"
    return "\(value.name.printable): \(text(value.asked)) \(why), set to \(text(value.set))\n"
  }.joined()
}

private func text(_ focus: CameraSettings.Focus) -> String {
  join([
    focus.mode.word + (focus.isAdjusting ? ", adjusting" : ""),
    numbersText("focus", focus.numbers), focus.point.flatMap(text),
    focus.range.flatMap { $0 == .none ? nil : "range \($0.word)" },
    focus.isSoftware ? "by the node" : nil,
    failureText(focus.failure),
  ])
}

private func text(_ exposure: CameraSettings.Exposure) -> String {
  join([
    exposure.mode.word + (exposure.isAdjusting ? ", adjusting" : ""),
    numbersText("exposure", exposure.numbers, without: exposure.iso == nil ? [] : [.gain]),
    exposure.bias != 0 ? "bias \(signed(exposure.bias, 2)) EV" : nil,
    exposure.point.flatMap(text), exposure.isSoftware ? "by the node" : nil, failureText(exposure.failure),
  ])
}

private func text(_ balance: CameraSettings.WhiteBalance) -> String {
  join([
    balance.mode.word + (balance.isAdjusting ? ", adjusting" : ""),
    numbersText("white_balance", balance.numbers),
    gainsText(balance),
    balance.isSoftware ? "by the node" : nil,
    failureText(balance.failure),
  ])
}

private func failureText(_ failure: String?) -> String? { failure.map { "failed: \($0.printable)" } }

private func text(_ zoom: CameraSettings.Zoom) -> String {
  join(["factor \(text(zoom.factor) { fixed($0, 2) })", zoom.kind.word, zoom.isRamping ? "ramping" : nil])
}

private func text(_ light: CameraSettings.Light) -> String {
  join([
    light.mode.word + (light.isActive ? ", shining" : ""),
    light.level.map { "level \(text($0) { fixed($0, 2) })" },
    light.isSoftware ? "by the node" : nil,
  ])
}

/// "at 0.25,0.5"; nothing for the centre.
private func text(_ point: NormalizedPoint) -> String? {
  point.x == 0.5 && point.y == 0.5 ? nil : "at \(fixed(point.x, 3)),\(fixed(point.y, 3))"
}

/// The numbers of a group, in their order.
private func numbersText(
  _ group: String, _ numbers: SettingKeyed<Observed<Double>>, without others: [Setting] = []
) -> String? {
  let parts = Setting.numbers(of: group).filter { !others.contains($0) }.compactMap { setting in
    numbers[setting].flatMap { text(setting, $0) }
  }
  return parts.isEmpty ? nil : join(parts)
}

/// "1/100 s (reported)", "ISO 200 (reported)"; nothing where there is nothing to say.
private func text(_ setting: Setting, _ value: Observed<Double>) -> String? {
  if setting == .exposureTargetOffset { return offsetText(value) }
  if setting == .tint, !value.isKnown || fixed(value.value, 0) == "0" { return nil }
  let name = setting.word.isEmpty ? String(setting.nameInGroup) : setting.word
  return value.isKnown ? setting.named(text(value, setting.text)) : "\(name) unknown"
}

extension Setting {
  /// "ISO 200"; "1/100 s", which needs no name.
  func named(_ text: String) -> String { word.isEmpty ? text : "\(word) \(text)" }

  /// A number with its unit: "1/100 s", "4000 K", "0.250".
  func text(_ value: Double) -> String {
    unit == "s" ? exposureText(value) : withUnit(fixed(value, isFraction ? 3 : 0))
  }

  func withUnit(_ number: String) -> String { unit.isEmpty ? number : "\(number) \(unit)" }
}

/// "4000 K (reported)"; "unknown".
private func text(_ value: Observed<Double>, _ text: (Double) -> String) -> String {
  value.isKnown ? "\(text(value.value)) (\(value.provenance.word))" : "unknown"
}

extension Observed {
  fileprivate var isKnown: Bool { provenance != .unknown }
}

private func gainsText(_ balance: CameraSettings.WhiteBalance) -> String? {
  balance.gains.map { gains in
    guard gains.isKnown else { return "gains unknown" }
    let (red, green, blue) = (gains.value.red, gains.value.green, gains.value.blue)
    let numbers = [red, green, blue].map { fixed($0, 3) }.joined(separator: ", ")
    return "gains \(numbers) (\(gains.provenance.word))"
  }
}

/// "1.20 EV brighter than wanted (observed)"
private func offsetText(_ offset: Observed<Double>) -> String {
  text(offset) { value in
    let amount = fixed(abs(value), 2)
    return amount == "0.00"
      ? "as bright as wanted" : "\(amount) EV \(value > 0 ? "brighter" : "darker") than wanted"
  }
}

/// "+1.00"
private func signed(_ value: Double, _ decimals: Int) -> String {
  (value > 0 ? "+" : "") + fixed(value, decimals)
}

/// "from 1/30 s to 1/15 s"; `nil` where nothing bounds the frame duration.
private func durationText(_ settings: CameraSettings) -> String? {
  let ends = (settings.frameDuration?.minimum, settings.frameDuration?.maximum)
  func text(_ interval: FrameInterval) -> String {
    exposureText(Double(interval.numerator) / Double(interval.denominator))
  }
  let parts = [ends.0.map { "from \(text($0))" }, ends.1.map { "to \(text($0))" }].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: " ")
}

/// "1/100 s", "0.5 s", "1 s"
func exposureText(_ seconds: Double) -> String {
  guard seconds > 0 else { return "0 s" }
  let inverse = 1 / seconds
  if seconds < 0.3, abs(inverse - inverse.rounded()) < 0.02 * inverse { return "1/\(fixed(inverse, 0)) s" }
  let scale = seconds < 0.01 ? 1e5 : 1e3
  return "\(plain((seconds * scale).rounded() / scale)) s"
}

private func join(_ parts: [String?]) -> String { parts.compactMap { $0 }.joined(separator: ", ") }
