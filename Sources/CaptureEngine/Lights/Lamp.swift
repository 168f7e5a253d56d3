import CaptureControls
import CaptureModel

/// The lamp of a torch that is not a V4L2 control.
struct Lamp: Sendable {
  var light: QueuedLight
  /// The level that the lamp was given last.
  var level = 0.0
  /// The level of the lamp when it is switched on without a level.
  var brightness = 1.0

  /// A change of the lamp.
  struct Change: Sendable {
    var level: Double
    var brightness: Double?
    /// Whether the torch follows the light from then on; `nil`: as before.
    var isAutomatic: Bool?
  }

  var description: SettingsDescription.Light {
    SettingsDescription.Light(modes: [.off, .on], hasLevel: light.hasLevel, source: light.name)
  }

  var settings: CameraSettings.Light {
    var settings = CameraSettings.Light(mode: level > 0 ? .on : .off)
    settings.level = Observed(level, .reported)
    settings.isActive = level > 0
    return settings
  }

  private var levels: SettingsDescription.ValueRange {
    SettingsDescription.ValueRange(
      minimum: 0, maximum: 1, step: light.steps.map { 1 / Double($0) } ?? 0, defaultValue: 1)
  }

  /// The possible level that is nearest to `level`. A level above 0 is never rounded to 0.
  func nearest(to level: Double) -> Double {
    let level = min(max(level, 0), 1)
    guard level > 0, let steps = light.steps else { return level }
    return max(1, (level * Double(steps)).rounded()) / Double(steps)
  }

  /// Returns the possible level that is nearest to `level`. Notes the difference if a person would notice it.
  func rounded(_ level: Double, _ clamping: inout Clamping) -> Double {
    let set = nearest(to: level)
    clamping.noteRounding(level, to: set, in: levels, .torchLevel)
    return set
  }

  /// The change of the lamp that a change of the torch asks for. Throws `invalidArgument`, which says what is possible. `map`: the mapping of the
  /// camera's driver.
  func plan(
    _ change: SettingsChange.Light, canBeAutomatic: Bool, isAutomatic: Bool, _ clamping: inout Clamping,
    _ map: SettingsMap, camera: String
  ) throws(CaptureError) -> Change {
    var wanted: Double?
    if let level = change.level {
      guard light.hasLevel || level == 0 || level == 1 else { throw map.unsettable(.torchLevel, on: camera) }
      wanted = rounded(try clamping.clamp(level, in: levels, .torchLevel, by: camera), &clamping)
    }
    let brightness = wanted.flatMap { $0 > 0 ? $0 : nil }
    switch change.mode {
    case .auto where !canBeAutomatic:
      throw CaptureError(
        .invalidArgument, "torch.mode cannot be auto: \(camera) has off, on",
        .init(
          .valueNotPossible, field: CaptureError.field(of: .torchMode), asked: "auto",
          possible: ["off", "on"]))
    case .on where wanted == 0, .auto where wanted == 0:
      throw CaptureError(
        .invalidArgument,
        "the torch of \(camera) cannot be on at level 0: switch it off, or take more than 0",
        .init(.fieldsExclusive, field: CaptureError.field(of: .torchLevel), asked: .number(0)))
    case .off: return Change(level: 0, brightness: brightness, isAutomatic: false)
    case .on:
      let present = level > 0 ? level : self.brightness
      return Change(level: wanted ?? present, brightness: brightness, isAutomatic: false)
    // An automatic torch begins dark.
    case .auto: return Change(level: 0, brightness: brightness, isAutomatic: true)
    case nil where isAutomatic:
      return Change(level: level > 0 ? wanted ?? level : 0, brightness: brightness)
    case nil: return Change(level: wanted ?? level, brightness: brightness, isAutomatic: false)
    }
  }
}
