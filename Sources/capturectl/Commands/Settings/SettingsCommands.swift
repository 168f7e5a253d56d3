import CaptureClient
import CaptureOptions

@Sendable func changeFocus(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var focus = SettingsChange.Focus(
    mode: arguments[Options.focusMode].flatMap(FocusMode.init(word:)), point: arguments[Options.point],
    lensPosition: arguments[Options.lens],
    range: arguments[Options.focusRange].flatMap(FocusRange.init(word:)))
  if focus.point != nil, focus.mode == nil, focus.lensPosition == nil {
    focus.mode = try await modeForPoint(context)
  }
  try await apply(.focus, context) { $0.focus = focus }
}

/// The mode for a point that is given without one: `auto`, as for a tap on the picture, where the focus is locked and the camera has that mode;
/// otherwise `nil`, which keeps the present mode.
private func modeForPoint(_ context: CommandContext) async throws -> FocusMode? {
  guard try await context.camera.settings().focus?.mode == .locked else { return nil }
  let modes = try await context.camera.settingsDescription().focus?.modes ?? []
  return modes.contains(.auto) ? .auto : nil
}

@Sendable func changeExposure(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var exposure = SettingsChange.Exposure(
    mode: arguments[Options.exposureMode].flatMap(ExposureMode.init(word:)), point: arguments[Options.point])
  for (option, setting) in Options.exposureNumbers { exposure.numbers[setting] = arguments[option] }
  try await apply(.exposure, context) { $0.exposure = exposure }
}

@Sendable func changeWhiteBalance(_ context: CommandContext) async throws {
  let arguments = context.arguments
  var balance = SettingsChange.WhiteBalance(
    mode: arguments[Options.whiteBalanceMode].flatMap(WhiteBalanceMode.init(word:)))
  let colours = [
    arguments.isGiven(Options.temperature) || arguments.isGiven(Options.tint),
    arguments.isGiven(Options.gains), arguments[Options.greyWorld],
  ]
  guard colours.count(where: { $0 }) <= 1 else {
    throw Misuse(
      "one of --temperature (or --tint, or both), --gains and --grey-world says the colour, not several")
  }
  if let temperature = arguments[Options.temperature] {
    balance.colour = .temperature(.init(temperature: temperature, tint: arguments[Options.tint] ?? 0))
  } else if let tint = arguments[Options.tint] {
    balance.colour = try await presentColour(withTint: tint, context)
  } else if let gains = arguments[Options.gains] {
    balance.colour = .gains(gains)
  } else if arguments[Options.greyWorld] {
    balance.colour = .greyWorld
  }
  try await apply(.whiteBalance, context) { [balance] in $0.whiteBalance = balance }
}

/// The present colour with another tint. Where the temperature was derived from gains, the new colour is set by gains, too: a temperature that the
/// driver converts by itself would change more of the picture than its tint. If the camera cannot have the gains for that colour, the colour is set
/// by its temperature.
private func presentColour(
  withTint tint: Double, _ context: CommandContext
) async throws -> SettingsChange.WhiteBalance.Colour {
  let now = try await context.camera.settings().whiteBalance?.temperature
  guard let now, now.provenance != .unknown else {
    throw CaptureError(
      .failedPrecondition,
      "the temperature that --tint alone would keep is not known just now; give --temperature too")
  }
  let light = TemperatureAndTint(temperature: now.value, tint: tint)
  guard now.provenance == .derived else { return .temperature(light) }
  let (gains, isReachable) = try await context.camera.whiteBalanceGains(for: light)
  return isReachable ? .gains(gains) : .temperature(light)
}

@Sendable func changeZoom(_ context: CommandContext) async throws {
  guard let factor = context.arguments[Options.zoomFactor] else {
    guard !context.arguments.isGiven(Options.zoomRate) else {
      throw Misuse("--rate needs a FACTOR to zoom to")
    }
    return try await apply(.zoom, context) { _ in }
  }
  try await apply(.zoom, context) {
    $0.zoom = .init(factor: factor, rate: context.arguments[Options.zoomRate])
  }
}

@Sendable func changeFrameDuration(_ context: CommandContext) async throws {
  let (minimum, maximum) = (
    context.arguments[Options.minimumFrameDuration], context.arguments[Options.maximumFrameDuration]
  )
  guard minimum != nil || maximum != nil else { return try await apply(.frameDuration, context) { _ in } }
  // Both bounds are set together: one that is not given keeps its present value.
  var bounds = SettingsChange.FrameDuration()
  if minimum == nil || maximum == nil { bounds = try await context.camera.settings().frameDuration ?? bounds }
  if let minimum { bounds.minimum = minimum }
  if let maximum { bounds.maximum = maximum }
  try await apply(.frameDuration, context) { [bounds] in $0.frameDuration = bounds }
}

@Sendable func changeTorch(_ context: CommandContext) async throws {
  try await apply(.torch, context) { $0.torch = lightChange(context) }
}

@Sendable func changeFlash(_ context: CommandContext) async throws {
  try await apply(.flash, context) { $0.flash = lightChange(context) }
}

private func lightChange(_ context: CommandContext) -> SettingsChange.Light? {
  let mode = context.arguments[Options.lightMode].flatMap(LightMode.init(word:))
  let level = context.arguments[Options.level]
  return mode == nil && level == nil ? nil : SettingsChange.Light(mode: mode, level: level)
}

@Sendable func resetSettings(_ context: CommandContext) async throws {
  // The change of a reset, which leaves white balance alone: it is not waited for.
  let change = SettingsChange.reset(try await context.camera.settingsDescription())
  try await show(try await context.camera.resetSettings(), of: change, .all, context)
}

/// Makes the change and shows its result. Without a change it shows the present settings.
private func apply(
  _ part: SettingsPart, _ context: CommandContext, _ body: (inout SettingsChange) -> Void
) async throws {
  var change = SettingsChange()
  body(&change)
  guard !change.isEmpty else {
    for flag in [Options.wait, Options.clamp] where context.arguments[flag] {
      throw Misuse(
        "--\(flag.declaration.name) is for a change, and this command makes none: it only shows the present settings"
      )
    }
    let settings = try await context.camera.settings()
    return try context.print(["settings": settings], text: text(settings, part))
  }
  try await show(
    try await context.camera.change(change, clamping: context.arguments[Options.clamp]), of: change, part,
    context)
}

/// Shows the result of a change. With `--wait` it does so once the change has settled, with the first frame that has it; where the time limit comes
/// first, it shows the settings then, and throws the error. `change`: the change, whose modes alone are waited for; `nil`: all modes are.
func show(
  _ result: SettingsResult, of change: SettingsChange?, _ part: SettingsPart, _ context: CommandContext
) async throws {
  let wait = try await context.catchingTimeLimit { try await context.awaitSettling(result, change) }
  var settings = result.settings
  var end = unfinishedText(result, change)
  let settled: Settled?
  switch wait {
  case .success(let found):
    settled = found
    if let found {
      settings = found.settings
      end = await context.text(found.change, found.frame, found.provenance)
    }
  case .failure:
    settled = nil
    if let now = try? await context.camera.settings() { settings = now }
    end = ""
  }
  // Standard output may have no reader any more. That must not hide that the wait has failed.
  let printed = Result {
    try context.print(
      [
        "change": result.change, "streaming": result.isStreaming, "settings": settings,
        "clamped": result.clamped, "applied": settled.map { JSON($0.change, $0.frame, $0.provenance) },
      ],
      text: text(settings, part) + text(result.clamped) + end)
  }
  if case .failure(let error) = wait { throw error }
  try printed.get()
}
