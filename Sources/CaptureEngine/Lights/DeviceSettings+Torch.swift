import CaptureModel

extension DeviceSettings {
  /// Sets the lamp that serves as the camera's torch, where its driver has none. The lamp gets the state in which clients left it.
  package func installLamp(_ light: (any LightSource)?) { lights.installLamp(light) }

  /// Notes the level that the lamp has after order `number` (``Lights/ended(_:of:with:)``). Watchers are told if they knew another level.
  func lampAnswered(_ number: Int, of light: QueuedLight, with level: Double?) {
    let levelBefore = lights.lampLevel
    lights.ended(number, of: light, with: level)
    if lights.lampLevel != levelBefore { context.tasks.start { await $0.settings.learnLamp() } }
  }

  private func learnLamp() async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard let camera = context.camera.present, let known = controls.known(of: camera) else { return }
    learn(known, of: camera)
  }

  /// Gives the lamp the state in which clients left it, after the changes that are on their way.
  func restoreLampInTurn() async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    lights.restoreLamp()
  }

  /// Switches the torch off if it is on, because another camera takes this one's place. An automatic torch goes out with the stream.
  public func switchTorchOff() async throws(CaptureError) {
    if let mode = latest()?.torch?.mode, mode != .on { return }
    guard try await describe().torch != nil, latest()?.torch?.mode == .on else { return }
    _ = try await set(.torchOff)
  }

  /// Switches the torch off as ``switchTorchOff()`` does, if the camera allows it.
  func switchTorchOffIfPossible() async {
    do throws(CaptureError) {
      try await switchTorchOff()
    } catch {
      context.camera.note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }

  /// Whether a client has set the torch to follow the light.
  var isTorchAutomatic: Bool { context.saved.memory.software?.torch == true }

  /// Switches off an automatic torch if nothing measures the light: without a stream, or once the node's mode has ended (`isBlind`). Does nothing if
  /// a client has switched the torch meanwhile.
  func endAutomaticTorch(isBlind: Bool = false) async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard isTorchAutomatic, context.stream.active == nil || isBlind else { return }
    guard let camera = context.camera.present else { return await lights.switchOffLamp() }
    guard latest()?.torch?.isActive != false else { return }
    do throws(CaptureError) {
      _ = try await applyChange(.torchOff, clamping: true, by: .automation)
    } catch {
      guard context.camera.isPresent(camera) else { return await lights.switchOffLamp() }
      context.camera.note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }
}

extension SettingsChange {
  fileprivate static var torchOff: SettingsChange {
    var change = SettingsChange()
    change.torch = Light(mode: .off)
    return change
  }
}
