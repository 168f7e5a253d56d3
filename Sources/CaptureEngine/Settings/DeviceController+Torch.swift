import CaptureModel
import CaptureSystem

extension DeviceController {
  /// A lamp that serves as the camera's torch, where its driver has none. It is set as clients left it.
  public func setTorchLight(_ light: (any LightSource)?) {
    settingsState.lamp = light.map { Lamp(light: $0, level: (try? $0.level()) ?? 0) }
    restoreLamp()
  }

  /// Whether the camera has a torch.
  public func hasTorch() async throws(CaptureError) -> Bool { try await settingsDescription().torch != nil }

  /// Switches the torch off, where it was switched on: another camera takes this one's place. An automatic one goes out with the stream.
  public func switchTorchOff() async throws(CaptureError) {
    if let mode = knownSettings()?.torch?.mode, mode != .on { return }
    guard try await hasTorch(), knownSettings()?.torch?.mode == .on else { return }
    var change = SettingsChange()
    change.torch = SettingsChange.Light(mode: .off)
    _ = try await set(change)
  }

  /// A client has the torch follow the light.
  var isTorchAutomatic: Bool { memory.software?.torch == true }

  /// A torch that follows the light sees none without a stream, or where the node has given up (`isBlind`). Nothing is done where a client has
  /// switched it meanwhile.
  func endAutomaticTorch(isBlind: Bool = false) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    guard isTorchAutomatic, stream == nil || isBlind else { return }
    guard let camera else { return putOutLamp() }
    guard knownSettings()?.torch?.isActive != false else { return }
    var change = SettingsChange()
    change.torch = SettingsChange.Light(mode: .off)
    do throws(CaptureError) {
      _ = try await make(change, clamping: true, isSoftware: true)
    } catch {
      guard self.camera === camera else { return putOutLamp() }
      note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }

  /// A lamp stays when the camera goes.
  func putOutLamp() {
    guard let lamp = settingsState.lamp, lamp.level > 0 else { return }
    do throws(CaptureError) {
      _ = try light(0)
    } catch {
      note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }

  /// The lamp of a torch that is no V4L2 control.
  struct Lamp {
    var light: any LightSource
    var level: Double
    /// What it shines with when it is switched on without a level.
    var brightness = 1.0

    /// What is to become of it.
    struct Change {
      var level: Double
      var brightness: Double?
      /// Whether it follows the light from there; `nil`: as before.
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

    /// Throws `invalidArgument` naming what is possible.
    func take(
      _ change: SettingsChange.Light, canBeAutomatic: Bool, isAutomatic: Bool, _ clamping: inout Clamping,
      camera: String
    ) throws(CaptureError) -> Change {
      let range = SettingsDescription.ValueRange(minimum: 0, maximum: 1, defaultValue: 1)
      let wanted: Double? =
        if let level = change.level { try clamping.take(level, in: range, .torchLevel, by: camera) } else {
          nil
        }
      let brightness = wanted.flatMap { $0 > 0 ? $0 : nil }
      switch change.mode {
      case .auto where !canBeAutomatic:
        throw CaptureError(.invalidArgument, "torch.mode cannot be auto: \(camera) has off, on")
      case .on where wanted == 0, .auto where wanted == 0:
        throw CaptureError(
          .invalidArgument,
          "the torch of \(camera) cannot be on at level 0: switch it off, or take more than 0")
      case .off: return Change(level: 0, brightness: brightness, isAutomatic: false)
      case .on:
        let present = level > 0 ? level : self.brightness
        return Change(level: wanted ?? present, brightness: brightness, isAutomatic: false)
      // It begins dark.
      case .auto: return Change(level: 0, brightness: brightness, isAutomatic: true)
      case nil where isAutomatic:
        return Change(level: level > 0 ? wanted ?? level : 0, brightness: brightness)
      case nil: return Change(level: wanted ?? level, brightness: brightness, isAutomatic: false)
      }
    }
  }

  /// That which is the camera's torch; `nil`: its driver has one, or there is none.
  func lamp(_ known: KnownControls) -> Lamp? {
    guard let lamp = settingsState.lamp, known.description.torch == nil else { return nil }
    return lamp
  }

  /// Takes from a change what a lamp beside the camera does.
  func planLamp(
    _ change: inout SettingsChange, _ known: KnownControls, _ clamping: inout Clamping
  ) throws(CaptureError) -> Lamp.Change? {
    guard let lamp = lamp(known), let torch = change.torch.take() else { return nil }
    return try lamp.take(
      torch, canBeAutomatic: !abilities(known).torchModes.isEmpty,
      isAutomatic: knownSettings()?.torch?.mode == .auto, &clamping, camera: name)
  }

  /// The lamp as clients left it.
  func restoreLamp() {
    guard let kept = memory.lamp, camera != nil, var lamp = settingsState.lamp else { return }
    lamp.brightness = min(max(kept.brightness, 0), 1)
    let level = min(max(kept.level, 0), 1)
    do throws(CaptureError) {
      if lamp.level != level { try lamp.light.set(level) }
      lamp.level = level
    } catch {
      note(.controlNotRestored, "the torch could not be set again: \(error.message)")
    }
    settingsState.lamp = lamp
  }

  /// What a client's change of the lamp leaves.
  func keep(_ lamp: Lamp.Change) -> LampMemory {
    if let brightness = lamp.brightness { settingsState.lamp?.brightness = brightness }
    let isAutomatic = lamp.isAutomatic ?? true
    return LampMemory(
      level: isAutomatic ? 0 : lamp.level, brightness: settingsState.lamp?.brightness ?? 1)
  }
}
