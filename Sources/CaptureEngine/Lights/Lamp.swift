import CaptureControls
import CaptureModel

/// The lamp of a torch that is not a V4L2 control.
struct Lamp: Sendable {
  var light: QueuedLight
  /// The level that it was given last.
  var level = 0.0
  /// The level with which it shines when it is switched on without one.
  var brightness = 1.0

  /// A change of the lamp.
  struct Change: Sendable {
    var level: Double
    var brightness: Double?
    /// Whether it follows the light from then on; `nil`: as before.
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

  /// The change of the lamp that a change of the torch asks for. Throws `invalidArgument`, which says what is possible.
  func plan(
    _ change: SettingsChange.Light, canBeAutomatic: Bool, isAutomatic: Bool, _ clamping: inout Clamping,
    camera: String
  ) throws(CaptureError) -> Change {
    let range = SettingsDescription.ValueRange(minimum: 0, maximum: 1, defaultValue: 1)
    var wanted: Double?
    if let level = change.level { wanted = try clamping.clamp(level, in: range, .torchLevel, by: camera) }
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
