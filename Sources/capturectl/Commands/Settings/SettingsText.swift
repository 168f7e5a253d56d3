import CaptureClient
import CaptureWire

/// What part of a camera's settings is shown.
enum SettingsPart {
  case focus, exposure, whiteBalance, zoom, frameDuration, torch, flash, all

  /// Which changes it.
  var command: String {
    switch self {
    case .focus: "focus"
    case .exposure: "expose"
    case .whiteBalance: "white-balance"
    case .zoom: "zoom"
    case .frameDuration: "frame-duration"
    case .torch: "torch"
    case .flash: "flash"
    case .all: "reset"
    }
  }
}

/// Settings, one a line, for a person.
func text(_ settings: RemoteSettings, _ part: SettingsPart) -> String {
  var lines: [(name: String, value: String)] = []
  func add(_ own: SettingsPart, _ name: String, _ value: String?, absent: String) {
    guard part == .all || part == own, part == own || value != nil else { return }
    lines.append((name, value ?? absent))
  }
  add(.focus, "focus", settings.focus.map(text), absent: "fixed")
  add(.exposure, "exposure", settings.exposure.map(text), absent: "cannot be set")
  add(.whiteBalance, "white balance", settings.whiteBalance.map(text), absent: "cannot be set")
  add(.zoom, "zoom", settings.zoom.map(text), absent: "none")
  add(.frameDuration, "frame duration", durationText(settings), absent: "as the format has it")
  add(.torch, "torch", settings.torch.map(text), absent: "none")
  add(.flash, "flash", settings.flash.map(text), absent: "none")
  return listText(lines)
}

/// "change 7: from frame 1203 on (calibrated)"
func text(_ applied: RemoteAppliedChange) -> String {
  guard let frame = applied.frame else {
    return "change \(applied.change): from the next stream's first frame on\n"
  }
  return "change \(applied.change): from frame \(frame.sequence) on, at \(frame.timestampNs) ns"
    + " (\(applied.provenance.word))\n"
}

/// "exposure.duration: 5 is out of range, set to 0.5", one a line.
func text(_ clamped: [RemoteClampedValue]) -> String {
  clamped.map {
    "\($0.name): \(plain($0.asked)) is out of range, set to \(plain($0.set))\n"
  }.joined()
}

private func text(_ focus: FocusSettings) -> String {
  join([
    focus.mode.word + (focus.adjusting ? ", adjusting" : ""),
    focus.lensPosition.map { "lens \(text($0, decimals: 3))" }, focus.point.flatMap(text),
    focus.range == .near || focus.range == .far ? "range \(focus.range.word)" : nil,
    focus.software ? "by the node" : nil,
  ])
}

private func text(_ exposure: ExposureSettings) -> String {
  join([
    exposure.mode.word + (exposure.adjusting ? ", adjusting" : ""),
    exposure.duration.map { "\(exposureText($0.value)) (\($0.provenance.word))" },
    exposure.iso.map { "ISO \(text($0, decimals: 0))" },
    exposure.iso == nil ? exposure.gain.map { "gain \(text($0, decimals: 0))" } : nil,
    exposure.bias != 0 ? "bias \(fixed(exposure.bias, 2)) EV" : nil,
    exposure.targetOffset.map { "off target by \(text($0, decimals: 2)) EV" },
    exposure.point.flatMap(text), exposure.software ? "by the node" : nil,
  ])
}

private func text(_ balance: WhiteBalanceSettings) -> String {
  join([
    balance.mode.word + (balance.adjusting ? ", adjusting" : ""),
    balance.temperature.map { "\(text($0, decimals: 0)) K" },
    balance.tint.flatMap { $0.value == 0 ? nil : "tint \(text($0, decimals: 0))" },
    balance.gains.map {
      "gains \(fixed($0.red, 3)), \(fixed($0.green, 3)), \(fixed($0.blue, 3)) (\(balance.gainsProvenance.word))"
    },
    balance.software ? "by the node" : nil,
  ])
}

private func text(_ zoom: ZoomSettings) -> String {
  join([
    zoom.factor.map { "factor \(text($0, decimals: 2))" },
    zoom.kind == .unspecified ? nil : zoom.kind.word, zoom.ramping ? "ramping" : nil,
  ])
}

private func text(_ light: LightSettings) -> String {
  join([
    light.mode.word + (light.active ? ", shining" : ""), light.level.map { "level \(text($0, decimals: 2))" },
    light.software ? "by the node" : nil,
  ])
}

/// "at 0.25,0.5"; nothing for the centre.
private func text(_ point: Point) -> String? {
  point.x == 0.5 && point.y == 0.5 ? nil : "at \(fixed(point.x, 3)),\(fixed(point.y, 3))"
}

private func text(_ value: Observed, decimals: Int) -> String {
  value.provenance == .unknown ? "unknown" : "\(fixed(value.value, decimals)) (\(value.provenance.word))"
}

/// "from 1/30 s to 1/15 s"; nothing where frames may last as they do.
private func durationText(_ settings: RemoteSettings) -> String? {
  func text(_ interval: CaptureWire.FrameInterval?) -> String? {
    guard let interval, interval.numerator > 0, interval.denominator > 0 else { return nil }
    return exposureText(Double(interval.numerator) / Double(interval.denominator))
  }
  let ends = (text(settings.minimumFrameDuration), text(settings.maximumFrameDuration))
  let parts = [ends.0.map { "from \($0)" }, ends.1.map { "to \($0)" }].compactMap { $0 }
  return parts.isEmpty ? nil : parts.joined(separator: " ")
}

/// "1/100 s", "0.5 s"
func exposureText(_ seconds: Double) -> String {
  guard seconds > 0 else { return "0 s" }
  let inverse = 1 / seconds
  if seconds < 0.3, abs(inverse - inverse.rounded()) < 0.02 * inverse { return "1/\(fixed(inverse, 0)) s" }
  return "\(fixed(seconds, seconds < 0.01 ? 5 : 3)) s"
}

private func join(_ parts: [String?]) -> String { parts.compactMap { $0 }.joined(separator: ", ") }
