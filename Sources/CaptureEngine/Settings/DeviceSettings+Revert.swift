import CaptureControls
import CaptureModel

/// Reverts changes. The caller holds the gate `settings`.
extension DeviceSettings {
  /// Reverts a transaction. Returns the controls that the camera has refused to take back, with their values from before. Those of a client's change are set
  /// when the next stream begins; what others set, they take back themselves.
  func revert(_ transaction: SettingsTransaction, on camera: (any Camera)?) async -> [ControlReading] {
    let kept = await revert(transaction.done, to: transaction.before, on: camera)
    if !transaction.isTransient { restoreLater(beforeSteps: kept.map(\.assignment)) }
    return kept
  }

  /// Reverts the steps of a transaction in reverse order, even if the call is cancelled. It reports a step that cannot be reverted, and goes on. Returns the
  /// controls of these steps. `readsAgain`: all controls are read again, since stale values may have caused a failure. `camera`: `nil`: it is unplugged, and only what
  /// the node has without it is set back.
  @discardableResult
  func revert(
    _ done: [SettingsTransaction.Done] = [], to before: SettingsTransaction.Before, readsAgain: Bool = true,
    on camera: (any Camera)?
  ) async -> [ControlReading] {
    guard let camera else {
      await context.tasks.runToEnd { await $0.settings.revertWithoutCamera(to: before) }
      return []
    }
    defer { context.stream.settingsChanged() }
    let steps = done.flatMap(\.before) + before.unrestored
    let kept = await context.tasks.runToEnd { device in
      let settings = device.settings
      var kept: [ControlReading] = []
      if let factor = before.zoom {
        await settings.attempt("the zoom could not be set back", on: camera) { () throws(CaptureError) in
          do throws(CaptureError) { _ = try await settings.zoom.set(factor, on: camera) } catch {
            settings.zoom.setForReturn(factor)
            throw error
          }
        }
      }
      await settings.lights.revert(before)
      for step in steps.reversed() where settings.context.camera.isPresent(camera) {
        // What it was before an earlier step counts.
        kept.removeAll { $0.control.id == step.control.id }
        let failure = "'\(step.control.name)' could not be set back"
        await settings.attempt(failure, on: camera) { () throws(CaptureError) in
          do throws(CaptureError) { try await camera.set([step.assignment]) } catch {
            kept.insert(step, at: 0)
            throw error
          }
        }
      }
      await settings.revert(to: before.controls, on: camera)
      if !settings.context.camera.isPresent(camera) { settings.restoreLater(before.controls) }
      // It has, or may yet get, what it was told before its driver fell silent. A camera that was unplugged has lost that.
      if settings.context.camera.isSilent(camera) {
        settings.restoreLater(beforeSteps: steps.map(\.assignment) + before.unanswered)
      }
      if readsAgain, settings.context.camera.isPresent(camera) { settings.controls.forget() }
      if let light = before.photoLight { await settings.revertLight(light, on: camera) }
      await settings.automation.revert(before.automation)
      // Without frames the software does not set it back. What the driver refuses then is told there.
      if before.automation?.owesValues == true, settings.automation.software?.seesFrames == false {
        try? await settings.applyUnsetValues()
      }
      // A camera that is gone gets its values otherwise.
      return settings.context.camera.isPresent(camera) ? kept : []
    }
    if readsAgain, context.camera.isPresent(camera) {
      context.tasks.start { _ = try? await $0.settings.known(of: camera) }
    }
    return kept ?? []
  }

  /// Reverts what the node has also without the camera: the lights, and its zoom. The node's own modes begin again from its memory when the camera returns.
  private func revertWithoutCamera(to before: SettingsTransaction.Before) async {
    if let factor = before.zoom { zoom.setForReturn(factor) }
    await lights.revert(before)
    if let light = before.photoLight { await revertLight(light, on: nil) }
  }

  /// Reverts the values that differ, then the modes that own them, then the values that these modes have freed. If the camera does not tell its values,
  /// these are set when its next stream begins.
  func revert(to saved: [ControlAssignment], on camera: any Camera) async {
    guard !saved.isEmpty else { return }
    await attempt("controls are not set back until a stream begins", on: camera) { () throws(CaptureError) in
      do throws(CaptureError) { try await restoreValues(saved, on: camera) } catch {
        restoreLater(saved)
        throw error
      }
    }
  }

  /// Sets those of the values that the camera has lost or changed.
  func restoreValues(_ saved: [ControlAssignment], on camera: any Camera) async throws(CaptureError) {
    for isMode in [false, true, false] {
      guard context.camera.isPresent(camera) else { return }
      let list = try await camera.controls()
      let active = list.filter { control in
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled, .grabbed])
          && control.isMode == isMode
      }
      // A colour temperature sets balances too, so it goes before them.
      let due = saved.filter { assignment in active.contains { $0.id == assignment.id } }
        .sorted { a, _ in a.id == .whiteBalanceTemperature }
      guard !due.isEmpty else { continue }
      let values = try await camera.values(of: due.map(\.id))
      var isTemperatureSet = false
      for (assignment, value) in zip(due, values) where assignment.value != value || isTemperatureSet {
        isTemperatureSet = isTemperatureSet || assignment.id == .whiteBalanceTemperature
        let name = active.first { $0.id == assignment.id }?.name ?? ""
        await attempt("'\(name)' could not be set back", on: camera) { () throws(CaptureError) in
          try await apply(.assigning([assignment]), by: .restore, on: camera)
        }
      }
    }
  }

  /// Switches off the light of a photo, and restores its former settings.
  private func revertLight(_ light: PhotoLight, on camera: (any Camera)?) async {
    guard let camera, context.camera.isPresent(camera) else {
      // A lamp stays when the camera is unplugged.
      if light.undo.torch != nil { await lights.switchOffLamp() }
      return
    }
    if let stop = light.stop {
      // Drivers refuse this when the strobe is over.
      try? await camera.set([ControlAssignment(stop, .integer(0))])
    }
    let failure = "the flash could not be put back as it was"
    for change in light.undo.levelFirst {
      await attempt(failure, on: camera) { () throws(CaptureError) in
        do throws(CaptureError) { _ = try await applyChange(change, clamping: true, by: .restore) } catch {
          // The camera may be gone, or go: a lamp does not need it.
          if change.torch != nil { await lights.switchOffLamp() }
          throw error
        }
      }
    }
    guard let timeout = light.timeout else { return }
    await attempt(failure, on: camera) { () throws(CaptureError) in try await camera.set([timeout]) }
  }

  /// Runs `body`, and reports its error, unless the camera is gone.
  func attempt(
    _ failure: String, on camera: any Camera, _ body: () async throws(CaptureError) -> Void
  ) async {
    do throws(CaptureError) {
      try await body()
    } catch {
      if context.camera.isPresent(camera) {
        context.camera.note(.controlNotRestored, "\(failure): \(error.message)")
      }
    }
  }
}

extension ControlReading {
  var assignment: ControlAssignment { ControlAssignment(control.id, value) }
}

extension CaptureError {
  /// Returns the error of a change with the names of the controls that the camera has refused to take back. These are its ``unrestored`` from then on.
  func naming(_ kept: [ControlReading]) -> CaptureError {
    var error = self
    error.unrestored = kept.map(\.assignment)
    guard !kept.isEmpty else { return error }
    error.message +=
      "; \(kept.map { "'\($0.control.name)'" }.joined(separator: ", ")) could not be set back: what was set there stays for now"
    return error
  }

  /// Returns the error of a second try with the names of the controls that the first has left too: for the second they were as they had been before.
  func naming(_ first: CaptureError, among known: KnownControls) -> CaptureError {
    let left = first.unrestored.filter { former in !unrestored.contains { $0.id == former.id } }
    guard !left.isEmpty else { return self }
    return naming(
      left.compactMap { former in
        known[former.id].map { ControlReading(control: $0, value: former.value) }
      })
  }
}

extension ControlDescription {
  fileprivate var isMode: Bool { type == .boolean || type == .menu || type == .integerMenu }
}

extension SettingsChange {
  /// The change in two: first the torch's level, which some drivers take only while the torch shines, then its mode.
  fileprivate var levelFirst: [SettingsChange] {
    guard let light = torch, light.level != nil, light.mode == .off else { return isEmpty ? [] : [self] }
    var (level, mode) = (SettingsChange(), self)
    level.torch = Light(level: light.level)
    mode.torch?.level = nil
    return [level, mode]
  }
}
