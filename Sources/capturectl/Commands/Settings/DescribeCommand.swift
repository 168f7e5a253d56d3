import CaptureClient
import CaptureWire

import enum CaptureModel.Setting

@Sendable func describeCamera(_ context: CommandContext) async throws {
  let node = context.node
  let settings = try await node.describeSettings(of: context.camera)
  let about = CameraAbout(
    camera: try await node.devices().first { $0.description.id.rawValue == settings.device },
    formats: try await node.formats(of: settings.device),
    presets: try await node.presets(of: settings.device), settings: settings,
    controls: try await node.controls(of: settings.device))
  try context.print(JSON(about), text: text(about, width: Terminal.width))
}

func text(_ about: CameraAbout, width: Int?) -> String {
  let description = about.settings
  var lines = about.cameraLines + about.formatLines + [(name: "presets", value: about.presetText)]
  lines.append(("focus", description.focus.map(text) ?? "fixed"))
  lines.append(("exposure", description.exposure.map(text) ?? "cannot be set"))
  lines.append(("white balance", description.whiteBalance.map(text) ?? "cannot be set"))
  lines.append(
    ("zoom", description.zoom.map(text) ?? "none"))
  lines.append(("torch", description.torch.map(text) ?? "none"))
  lines.append(("flash", description.flash.map(text) ?? "none"))
  if let duration = description.frameDuration {
    lines.append(
      ("frame duration", "\(exposureText(duration.minimum)) to \(exposureText(duration.maximum))"))
  }
  lines += about.otherControlLines
  lines.append(("calibrated", description.calibrated ? "yes" : "no"))
  var table = TextTable([
    .init("SETTING"), .init("CONTROL"), .init("CONVERSION", isFlexible: true), .init("DELAY", isNumber: true),
    .init("DELAY IS"),
  ])
  for use in description.controls {
    table.add(use.setting, use.control, use.conversion, "\(use.delayFrames)", use.delayProvenance.word)
  }
  let next = nextStep(description)
  let hint = "\n" + paragraph(next, width: width)
  let list = listText(lines, width: width)
  guard !description.controls.isEmpty else { return list + hint }
  return list + "\n" + table.text(width: width) + hint
}

/// A suggestion for the next command.
func nextStep(_ description: RemoteSettingsDescription) -> String {
  let camera = description.device.printable
  let others = "'capturectl controls \(camera)' has the controls' values"
  var tries: [String] = []
  if let focus = description.focus, focus.modes.contains(.auto) {
    tries.append("focus \(camera) --mode auto" + (focus.pointOfInterest ? " --at 0.5,0.5" : ""))
  }
  if description.exposure?.modes.contains(.continuous) == true {
    tries.append("expose \(camera) --mode continuous")
  } else if let duration = description.exposure?.duration {
    tries.append("expose \(camera) --duration \(plain(duration.defaultValue))")
  }
  if tries.isEmpty, description.zoom != nil { tries.append("zoom \(camera) 2") }
  let next = tries.first.map { "Try 'capturectl \($0)'; " } ?? ""
  guard !description.controls.isEmpty, !description.calibrated else { return "\(next)\(others)." }
  return "\(next)\(others); 'capturectl calibrate \(camera)' measures the delays."
}

private func text(_ focus: FocusDescription) -> String {
  sentence([
    modes(focus.modes, by: focus.softwareModes),
    numbers(FocusSettings.fields, focus),
    focus.pointOfInterest ? "point of interest" : nil,
    focus.ranges.count > 1 ? "range " + focus.ranges.map(\.word).joined(separator: ", ") : nil,
  ])
}

private func text(_ exposure: ExposureDescription) -> String {
  sentence([
    modes(exposure.modes, by: exposure.softwareModes),
    numbers(ExposureSettings.fields, exposure),
    exposure.bias.map { "bias \(range($0, decimals: 2)) EV" },
    exposure.pointOfInterest ? "point of interest" : nil,
  ])
}

private func text(_ balance: WhiteBalanceDescription) -> String {
  sentence([
    modes(balance.modes, by: balance.softwareModes),
    numbers(WhiteBalanceSettings.fields, balance),
    balance.gains.map { "gains \(inner($0))" }, balance.redBalance.map { "red over green \(inner($0))" },
    balance.blueBalance.map { "blue over green \(inner($0))" }, balance.greyWorld ? "grey world" : nil,
  ])
}

/// What the numbers of a group can be set to, in the order of its fields.
private func numbers<Settings, Description, Change>(
  _ fields: [SettingField<Settings, Description, Change>], _ description: Description
) -> String? {
  let parts = fields.compactMap { field in
    field.range.flatMap { description[keyPath: $0] }.map { text(field.setting, $0) }
  }
  return parts.isEmpty ? nil : sentence(parts)
}

private func text(_ setting: Setting, _ values: ValueRange) -> String {
  if setting == .lensPosition { return setting.named("0 (nearest) to 1 (infinity)") }
  let ends = "\(setting.text(values.minimum)) to \(setting.text(values.maximum))"
  return setting.named(
    setting.unit == "s" ? ends : setting.withUnit(range(values, decimals: setting.isFraction ? 3 : 0)))
}

/// With three decimals, none of which is beyond the range.
private func inner(_ range: ValueRange) -> String {
  let ends = ((range.minimum * 1000).rounded(.up) / 1000, (range.maximum * 1000).rounded(.down) / 1000)
  return "\(fixed(ends.0, 3)) to \(fixed(ends.1, 3))"
}

private func text(_ zoom: ZoomDescription) -> String {
  sentence([
    "1 to \(plain((zoom.maximum * 100).rounded() / 100)), \(zoom.kind.word)",
    zoom.reason.isEmpty ? nil : zoom.reason.printable,
  ])
}

private func text(_ light: LightDescription) -> String {
  sentence([
    modes(light.modes, by: light.softwareModes), light.level ? "level 0 to 1" : nil,
    light.source.isEmpty ? nil : "through \(light.source)",
  ])
}

/// "locked, auto (by the node)"
private func modes<Mode: WordedValue>(_ modes: [Mode], by software: [Mode]) -> String {
  modes.map { software.contains($0) ? "\($0.word) (by the node)" : $0.word }.joined(separator: ", ")
}

private func range(_ range: ValueRange, decimals: Int) -> String {
  guard range.items.isEmpty else { return range.items.map(plain).joined(separator: ", ") }
  return "\(fixed(range.minimum, decimals)) to \(fixed(range.maximum, decimals))"
}

private func sentence(_ parts: [String?]) -> String { parts.compactMap { $0 }.joined(separator: "; ") }
