import CaptureClient
import CaptureOptions
import CaptureWire

@Sendable func changeFocus(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var change = FocusChange()
  change.mode = arguments[Options.focusMode].flatMap(FocusMode.init(word:)) ?? .unspecified
  change.point = arguments[Options.point]
  change.lens = arguments[Options.lens].map { .lensPosition($0) }
  change.range = arguments[Options.focusRange].flatMap(FocusRange.init(word:)) ?? .unspecified
  if change.point != nil, change.mode == .unspecified, change.lens == nil {
    change.mode = try await modeForPoint(context)
  }
  try await apply(change == FocusChange() ? nil : SettingsChange(focus: change), .focus, context)
}

/// The mode for a point that is given without one: once, as a tap on the picture does, where the camera can and does not follow the scene by itself.
private func modeForPoint(_ context: CommandContext) async throws -> FocusMode {
  let node = context.node
  guard try await node.settings(of: context.camera).focus?.mode == .locked else { return .unspecified }
  let modes = try await node.describeSettings(of: context.camera).focus?.modes ?? []
  return modes.contains(.auto) ? .auto : .unspecified
}

@Sendable func changeExposure(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var change = ExposureChange()
  change.mode = arguments[Options.exposureMode].flatMap(ExposureMode.init(word:)) ?? .unspecified
  change.point = arguments[Options.point]
  for (option, setting) in Options.exposureNumbers {
    guard let number = arguments[option] else { continue }
    guard let field = ExposureSettings.fields.first(where: { $0.setting == setting }) else {
      preconditionFailure("\(setting) has an option and no field in messages")
    }
    field.ask(number, &change)
  }
  change.compensation = arguments[Options.bias].map { .bias($0) }
  try await apply(change == ExposureChange() ? nil : SettingsChange(exposure: change), .exposure, context)
}

@Sendable func changeWhiteBalance(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var change = WhiteBalanceChange()
  change.mode = arguments[Options.whiteBalanceMode].flatMap(WhiteBalanceMode.init(word:)) ?? .unspecified
  let colours = [
    arguments.isGiven(Options.temperature) || arguments.isGiven(Options.tint),
    arguments.isGiven(Options.gains), arguments[Options.greyWorld],
  ]
  guard colours.count(where: { $0 }) <= 1 else {
    throw UsageError(
      message:
        "one of --temperature (or --tint, or both), --gains and --grey-world says the colour, not several",
      command: "capturectl white-balance")
  }
  if let temperature = arguments[Options.temperature] {
    change.colour = .temperature(
      TemperatureAndTint(temperature: temperature, tint: arguments[Options.tint] ?? 0))
  } else if let tint = arguments[Options.tint] {
    change.colour = .temperature(TemperatureAndTint(temperature: try await temperature(context), tint: tint))
  } else if let gains = arguments[Options.gains] {
    change.colour = .gains(gains)
  } else if arguments[Options.greyWorld] {
    change.colour = .greyWorld(true)
  }
  try await apply(
    change == WhiteBalanceChange() ? nil : SettingsChange(whiteBalance: change), .whiteBalance, context)
}

/// The present temperature, so that a tint alone can be set.
private func temperature(_ context: CommandContext) async throws -> Double {
  let now = try await context.node.settings(of: context.camera).whiteBalance?.temperature
  guard let now, now.provenance != .unknown else {
    throw RPCError(
      .failedPrecondition,
      "the temperature that --tint alone would keep is not known just now; give --temperature too")
  }
  return now.value
}

@Sendable func changeZoom(_ context: CommandContext) async throws {
  guard let factor = context.arguments[Options.zoomFactor] else {
    guard !context.arguments.isGiven(Options.zoomRate) else {
      throw UsageError(message: "--rate needs a FACTOR to zoom to", command: "capturectl zoom")
    }
    return try await apply(nil, .zoom, context)
  }
  let change = ZoomChange(factor: factor, ramp: context.arguments[Options.zoomRate].map { .rate($0) })
  try await apply(SettingsChange(zoom: change), .zoom, context)
}

@Sendable func changeFrameDuration(_ context: CommandContext) async throws {
  let (minimum, maximum) = (
    context.arguments[Options.minimumFrameDuration], context.arguments[Options.maximumFrameDuration]
  )
  guard minimum != nil || maximum != nil else { return try await apply(nil, .frameDuration, context) }
  var change = FrameDurationChange(minimum: minimum, maximum: maximum)
  if minimum == nil || maximum == nil {
    // Both values are set together.
    let now = try await context.node.settings(of: context.camera)
    change.minimum = minimum ?? now.minimumFrameDuration
    change.maximum = maximum ?? now.maximumFrameDuration
  }
  try await apply(SettingsChange(frameDuration: change), .frameDuration, context)
}

@Sendable func changeTorch(_ context: CommandContext) async throws {
  try await apply(lightChange(context).map { SettingsChange(torch: $0) }, .torch, context)
}

@Sendable func changeFlash(_ context: CommandContext) async throws {
  try await apply(lightChange(context).map { SettingsChange(flash: $0) }, .flash, context)
}

private func lightChange(_ context: CommandContext) -> LightChange? {
  let mode = context.arguments[Options.lightMode].flatMap(LightMode.init(word:))
  let level = context.arguments[Options.level]
  guard mode != nil || level != nil else { return nil }
  return LightChange(mode: mode ?? .unspecified, brightness: level.map { .level($0) })
}

@Sendable func resetSettings(_ context: CommandContext) async throws {
  try await show(try await context.node.resetSettings(of: context.camera), .all, context)
}

/// Makes the change and shows its result. Without a change it shows the present settings.
private func apply(
  _ change: SettingsChange?, _ part: SettingsPart, _ context: CommandContext
) async throws {
  guard let change else {
    for flag in [Options.wait, Options.clamp] where context.arguments[flag] {
      throw UsageError(
        message:
          "--\(flag.declaration.name) is for a change, and this command makes none: it only shows the present settings",
        command: "capturectl \(part.command)")
    }
    let settings = try await context.node.settings(of: context.camera)
    return try context.print(["settings": JSON(settings)], text: text(settings, part))
  }
  let result = try await context.node.change(
    change, of: context.camera, clamping: context.arguments[Options.clamp])
  try await show(result, part, context)
}

/// Shows the result of a change, and with `--wait` the frame.
func show(
  _ result: RemoteSettingsResult, _ part: SettingsPart, _ context: CommandContext
) async throws {
  let applied = try await context.applied(result.change)
  let settings = result.settings ?? CameraSettings()
  let moment = await context.text(applied)
  try context.print(
    [
      "change": JSON(result.change), "streaming": .bool(result.streaming), "settings": JSON(settings),
      "clamped": .array(result.clamped.map { JSON($0) }), "applied": applied.map { JSON($0) } ?? .null,
    ],
    text: text(settings, part) + text(result.clamped) + moment)
}
