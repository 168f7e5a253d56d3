import CaptureClient

@Sendable func describeCamera(_ context: CommandContext) async throws {
  let settings = try await context.camera.settingsDescription()
  let cameras = try await context.node.cameras()
  let overview = CameraOverview(
    info: try cameras.find(context.camera.name)?.info, name: context.camera.name,
    formats: try await context.camera.formats(), presets: try await context.camera.presets(),
    settings: settings, controls: try await context.camera.controls())
  try context.print(JSON(overview), text: text(overview, width: Terminal.width))
}

func text(_ overview: CameraOverview, width: Int?) -> String {
  let description = overview.settings
  let settings: TextList = [
    "presets": overview.presetText, "focus": description.focus.map(text) ?? "fixed",
    "exposure": description.exposure.map(text) ?? "cannot be set",
    "white balance": description.whiteBalance.map(text) ?? "cannot be set",
    "zoom": description.zoom.map(text) ?? "none", "torch": description.torch.map(text) ?? "none",
    "flash": description.flash.map(text) ?? "none",
    "frame duration": description.frameDuration.map {
      "\(exposureText($0.minimum)) to \(exposureText($0.maximum))"
    },
    "recent frames": description.recentFrames.map { recent in
      let seconds = (recent.duration / .milliseconds(100)).rounded() / 10
      return recent.frames == 0
        ? "none are kept" : "\(recent.frames), which reach \(seconds) s back (photo --time)"
    },
  ]
  let list =
    TextList(overview.cameraLines + overview.formatLines) + settings + TextList(overview.otherControlLines)
    + ["calibrated": description.isCalibrated ? "yes" : "no"]
  let table = TextTable(
    "SETTING", "CONTROL", .flexible("CONVERSION"), .number("DELAY"), "DELAY IS", of: description.controls
  ) { use in
    [use.setting.name, use.name, use.conversion, "\(use.delay.frames)", use.delay.provenance.word]
  }
  let next = nextStep(description, for: overview.id)
  let hint = "\n" + paragraph(next, width: width)
  guard !description.controls.isEmpty else { return list.text(width: width) + hint }
  return list.text(width: width) + "\n" + table.text(width: width) + hint
}

/// A suggestion for the next command.
func nextStep(_ description: SettingsDescription, for id: String) -> String {
  let camera = id.printable
  let others = "'capturectl controls \(camera)' has the controls' values"
  var tries: [String] = []
  if let focus = description.focus, focus.modes.contains(.auto) {
    tries.append("focus \(camera) --mode auto" + (focus.hasPointOfInterest ? " --at 0.5,0.5" : ""))
  }
  if description.exposure?.modes.contains(.continuous) == true {
    tries.append("expose \(camera) --mode continuous")
  } else if let duration = description.exposure?.duration {
    tries.append("expose \(camera) --duration \(plain(duration.defaultValue))")
  }
  if tries.isEmpty, description.zoom != nil { tries.append("zoom \(camera) 2") }
  let next = tries.first.map { "Try 'capturectl \($0)'; " } ?? ""
  guard !description.controls.isEmpty, !description.isCalibrated else { return "\(next)\(others)." }
  return "\(next)\(others); 'capturectl calibrate \(camera)' measures the delays."
}

private func text(_ focus: SettingsDescription.Focus) -> String {
  sentence([
    modes(focus.modes, by: focus.softwareModes),
    numbers("focus", focus.numbers),
    focus.hasPointOfInterest ? "point of interest" : nil,
    focus.ranges.count > 1 ? "range " + focus.ranges.map(\.word).joined(separator: ", ") : nil,
  ])
}

private func text(_ exposure: SettingsDescription.Exposure) -> String {
  sentence([
    modes(exposure.modes, by: exposure.softwareModes),
    numbers("exposure", exposure.numbers),
    exposure.bias.map { "bias \(range($0, decimals: 2)) EV" },
    exposure.hasPointOfInterest ? "point of interest" : nil,
  ])
}

private func text(_ balance: SettingsDescription.WhiteBalance) -> String {
  sentence([
    modes(balance.modes, by: balance.softwareModes),
    numbers("white_balance", balance.numbers),
    balance.gains.map { "gains \(inner($0))" }, balance.balances.map { "red over green \(inner($0.red))" },
    balance.balances.map { "blue over green \(inner($0.blue))" }, balance.hasGreyWorld ? "grey world" : nil,
  ])
}

/// The ranges of the numbers of a group, in the order of the numbers.
private func numbers(_ group: String, _ numbers: SettingKeyed<SettingsDescription.ValueRange>) -> String? {
  let parts = Setting.numbers(of: group).compactMap { setting in numbers[setting].map { text(setting, $0) } }
  return parts.isEmpty ? nil : sentence(parts)
}

private func text(_ setting: Setting, _ values: SettingsDescription.ValueRange) -> String {
  if setting == .lensPosition { return setting.named("0 (nearest) to 1 (infinity)") }
  let ends = "\(setting.text(values.minimum)) to \(setting.text(values.maximum))"
  return setting.named(
    setting.unit == "s" ? ends : setting.withUnit(range(values, decimals: setting.isFraction ? 3 : 0)))
}

/// The ends of a range with three decimals, rounded inwards, so that neither is beyond the range.
private func inner(_ range: SettingsDescription.ValueRange) -> String {
  let ends = ((range.minimum * 1000).rounded(.up) / 1000, (range.maximum * 1000).rounded(.down) / 1000)
  return "\(fixed(ends.0, 3)) to \(fixed(ends.1, 3))"
}

private func text(_ zoom: SettingsDescription.Zoom) -> String {
  sentence([
    "1 to \(plain((zoom.maximum * 100).rounded() / 100)), \(zoom.kind.word)",
    zoom.reason?.printable,
  ])
}

private func text(_ light: SettingsDescription.Light) -> String {
  sentence([
    modes(light.modes, by: light.softwareModes), light.hasLevel ? "level 0 to 1" : nil,
    light.source.isEmpty ? nil : "through \(light.source)",
  ])
}

/// "locked, auto (by the node)"
private func modes<Mode: WordedValue>(_ modes: [Mode], by software: [Mode]) -> String {
  modes.map { software.contains($0) ? "\($0.word) (by the node)" : $0.word }.joined(separator: ", ")
}

private func range(_ range: SettingsDescription.ValueRange, decimals: Int) -> String {
  guard range.items.isEmpty else { return range.items.map(plain).joined(separator: ", ") }
  return "\(fixed(range.minimum, decimals)) to \(fixed(range.maximum, decimals))"
}

private func sentence(_ parts: [String?]) -> String { parts.compactMap { $0 }.joined(separator: "; ") }
