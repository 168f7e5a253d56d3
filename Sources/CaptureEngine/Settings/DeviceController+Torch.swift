import CaptureModel
import CaptureSystem

extension DeviceController {
  /// A lamp that serves as the camera's torch, where its driver has none.
  public func setTorchLight(_ light: (any LightSource)?) {
    settingsState.lamp = light.map { Lamp(light: $0, level: (try? $0.level()) ?? 0) }
  }

  /// Whether the camera has a torch.
  public func hasTorch() async throws(CaptureError) -> Bool { try await settingsDescription().torch != nil }

  /// Switches the torch off, where one shines: another camera takes this one's place.
  public func switchTorchOff() async throws(CaptureError) {
    guard knownSettings()?.torch?.mode != .off else { return }
    guard try await hasTorch() else { return }
    var change = SettingsChange()
    change.torch = SettingsChange.Light(mode: .off)
    _ = try await set(change)
  }

  /// The lamp of a torch that is no V4L2 control.
  struct Lamp {
    var light: any LightSource
    var level: Double

    var description: SettingsDescription.Light {
      SettingsDescription.Light(modes: [.off, .on], hasLevel: light.hasLevel, source: light.name)
    }

    var settings: CameraSettings.Light {
      var settings = CameraSettings.Light(mode: level > 0 ? .on : .off)
      settings.level = Observed(level, .reported)
      settings.isActive = level > 0
      return settings
    }

    /// The level that a change asks for. Throws `invalidArgument` naming what is possible.
    func level(_ change: SettingsChange.Light, _ clamping: inout Clamping, camera: String)
      throws(CaptureError) -> Double
    {
      let range = SettingsDescription.ValueRange(minimum: 0, maximum: 1, defaultValue: 1)
      var level = level
      if let wanted = change.level {
        level = try clamping.take(wanted, in: range, .torchLevel, by: camera)
      }
      switch change.mode {
      case .off: return 0
      case .on where change.level != nil && level == 0:
        throw CaptureError(
          .invalidArgument,
          "the torch of \(camera) cannot be on at level 0: switch it off, or take more than 0")
      case .on: return level > 0 ? level : 1
      case .auto: throw CaptureError(.invalidArgument, "torch.mode cannot be auto: \(camera) has off, on")
      case nil: return level
      }
    }
  }
}
