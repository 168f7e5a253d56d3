import CaptureControls
import CaptureModel

/// Reverts changes. The caller holds the gate `settings`.
extension DeviceSettings {
  /// Reverts a transaction. Returns the controls that could not be set back, with their former values. After a client's change, these values are set
  /// when the next stream begins. After any other change, whoever made it sets them back.
  func revert(_ transaction: SettingsTransaction, on camera: (any Camera)?) async -> [ControlReading] {
    let kept = await revert(transaction.done, to: transaction.before, on: camera)
    if !transaction.isTransient { restoreLater(beforeSteps: kept.map(\.assignment)) }
    return kept
  }

  /// Reverts the steps of a transaction in reverse order, even if the call is cancelled. A step that cannot be reverted is reported, and the other
  /// steps are reverted all the same. Returns the controls of such steps. `readsAgain`: all controls are read again, since stale values may have
  /// caused a failure. `camera`: `nil` if it is unplugged. Then only the lights and the node's zoom are set back.
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
        // If several steps have set a control, the earliest of them decides whether the control is back.
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
      if !settings.context.camera.isPresent(camera) {
        settings.restoreLater(before.controls)
        // One that has returned by now may have had nothing to restore when it appeared: then nobody sets these values before its next stream. Otherwise
        // its restoration, which waits for the caller's gate, sets them.
        if let returned = settings.context.camera.present, !before.controls.isEmpty {
          settings.context.tasks.start {
            await $0.settings.restoreControls(of: returned, isReported: false, unlessReverted: true)
          }
        }
      }
      // A camera whose driver fell silent has the values that it was given, or may yet get them. An unplugged camera has lost them.
      if settings.context.camera.isSilent(camera) {
        settings.restoreLater(beforeSteps: steps.map(\.assignment) + before.unanswered)
      }
      if readsAgain, settings.context.camera.isPresent(camera) { settings.controls.forget() }
      if let light = before.photoLight { await settings.revertLight(light, on: camera) }
      await settings.automation.revert(before.automation)
      // Without frames, the node's modes do not set back what they owe the camera, so it is set here. `applyUnsetValues` reports what the driver
      // refuses.
      if before.automation?.owesValues == true, settings.automation.software?.seesFrames == false {
        try? await settings.applyUnsetValues()
      }
      // A camera that is gone gets its values when it returns.
      return settings.context.camera.isPresent(camera) ? kept : []
    }
    if readsAgain, context.camera.isPresent(camera) {
      context.tasks.start { _ = try? await $0.settings.known(of: camera) }
    }
    return kept ?? []
  }

  /// Reverts what the node controls without the camera: the lights, and its own zoom. The node's modes resume from its memory when the camera
  /// returns.
  private func revertWithoutCamera(to before: SettingsTransaction.Before) async {
    if let factor = before.zoom { zoom.setForReturn(factor) }
    await lights.revert(before)
    if let light = before.photoLight { await revertLight(light, on: nil) }
  }

  /// Reverts the values that differ, then the modes that own them, then the values that these modes have freed. If the present values cannot be read,
  /// the saved ones are set when the camera's next stream begins.
  func revert(to saved: [ControlAssignment], on camera: any Camera) async {
    guard !saved.isEmpty else { return }
    await attempt("controls are not set back until a stream begins", on: camera) { () throws(CaptureError) in
      do throws(CaptureError) { try await restoreValues(saved, on: camera) } catch {
        restoreLater(saved)
        throw error
      }
    }
  }

  /// Sets the values that differ from the camera's present ones.
  func restoreValues(_ saved: [ControlAssignment], on camera: any Camera) async throws(CaptureError) {
    for isMode in [false, true, false] {
      guard context.camera.isPresent(camera) else { return }
      let list = try await controls.reader.list(of: camera)
      let active = list.filter { control in
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled, .grabbed])
          && control.isMode == isMode
      }
      // A colour temperature sets balances too, so it goes before them.
      let due = saved.filter { assignment in active.contains { $0.id == assignment.id } }
        .sorted { a, _ in a.id == .whiteBalanceTemperature }
      guard !due.isEmpty else { continue }
      // A value that cannot be read now is set, too.
      let values = try await controls.reader.values(of: due.map(\.id), from: camera)
      var isTemperatureSet = false
      for assignment in due where assignment.value != values[assignment.id] || isTemperatureSet {
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
    var light = light
    if let change = light.changeBeforeFlash, ledger.isSet(.setting(.torchMode), after: change) {
      light.leaveTorch()
    }
    // A camera whose driver fell silent has the light on still, or may yet get it.
    defer { if context.camera.silent != nil { restoreLater(light.valuesBefore) } }
    guard let camera, context.camera.isPresent(camera) else {
      // A lamp would stay lit when the camera is unplugged, so it is switched off.
      if light.undo.torch != nil { await lights.switchOffLamp() }
      return
    }
    if let stop = light.stop {
      // Drivers refuse this once the strobe is over, so an error is ignored.
      try? await camera.set([ControlAssignment(stop, .integer(0))])
    }
    let failure = "the flash could not be put back as it was"
    for change in light.undo.levelFirst {
      await attempt(failure, on: camera) { () throws(CaptureError) in
        do throws(CaptureError) { _ = try await applyChange(change, clamping: true, by: .restore) } catch {
          // If the camera is gone or goes, the lamp can still be switched off.
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
  /// Returns the error of a change with the controls in `kept` as its ``unrestored``, and with the names of all these controls in the message. `kept`:
  /// the camera has refused to take them back. `unread`: what they had before could not be read.
  func naming(_ kept: [ControlReading], unread: [ControlDescription] = []) -> CaptureError {
    func names(_ controls: [ControlDescription]) -> String {
      controls.map { "'\($0.name)'" }.joined(separator: ", ")
    }
    var error = self
    error.unrestored = kept.map(\.assignment)
    if !kept.isEmpty {
      error.message +=
        "; \(names(kept.map(\.control))) could not be set back: what was set there stays for now"
    }
    if !unread.isEmpty {
      error.message += "; \(names(unread)) could not be read before: what was set there stays"
    }
    return error
  }

  /// Returns the error of a second try as the error of the change: it has the controls that either try could not set back, and their names. What the
  /// first try has left, the second took for the values from before the change, so the first one's values count.
  func naming(_ first: CaptureError, among known: KnownControls) -> CaptureError {
    let unnamed = first.unrestored.filter { former in !unrestored.contains { $0.id == former.id } }
    let own = unrestored.filter { later in !first.unrestored.contains { $0.id == later.id } }
    var error = naming(
      unnamed.compactMap { former in
        known[former.id].map { ControlReading(control: $0, value: former.value) }
      })
    error.unrestored = first.unrestored + own
    return error
  }
}

extension ControlDescription {
  fileprivate var isMode: Bool { type == .boolean || type == .menu || type == .integerMenu }
}

extension SettingsChange {
  /// Splits a change that switches the torch off and sets its level. The level comes first, since some drivers take it only while the torch shines.
  /// Any other change stays whole.
  fileprivate var levelFirst: [SettingsChange] {
    guard let light = torch, light.level != nil, light.mode == .off else { return isEmpty ? [] : [self] }
    var (level, mode) = (SettingsChange(), self)
    level.torch = Light(level: light.level)
    mode.torch?.level = nil
    return [level, mode]
  }
}
