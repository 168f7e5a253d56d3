import CaptureModel
import CaptureSystem

extension DeviceController {
  /// The stream could not keep to a change's bounds: all of the change is taken back, but what others have set since, and those who wait for its
  /// frame hear why.
  func revoke(_ whole: SettingsUndo, _ error: CaptureError) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    timeline.abandon(whole.change, error)
    settingsState.keys[whole.change] = nil
    if settingsState.ramp?.change == whole.change { begin(nil) }
    let undo = whole.limited(to: Set(whole.keys.filter { settingsState.authors[$0] == whole.change }))
    forget(undo)
    if let camera {
      await setBack(undo, on: camera)
      if let light = undo.photoLight { await putBack(light, on: camera) }
      await keepSoftware(of: undo, on: camera)
    } else if let lamp = undo.lamp {
      putBack(lamp)
    }
    softwareChanged()
  }

  /// The memory is as it was before a change.
  private func forget(_ undo: SettingsUndo) {
    var memory = memory
    for key in undo.keys {
      switch key {
      case .control(let id): memory.controls.take(id, from: undo.memory.controls)
      case .setting(.exposureMode):
        settingsState.asked.exposureMode = undo.asked.exposureMode
        memory.exposureMode = undo.memory.exposureMode
      case .setting(.zoomFactor): memory.zoom = undo.memory.zoom
      case .setting(.flashMode): memory.flash = undo.memory.flash
      case .setting(.torchLevel): memory.lamp = undo.memory.lamp
      case .setting: break
      }
    }
    if camera == nil, undo.software != nil { memory.software = undo.memory.software }
    self.memory = memory
    settingsState.asked.balancesByGains = memory.controls.balancesByGains
    if undo.hasFrameDuration { bound(settingsState.keptFrameDuration) }
  }

  /// The node's modes are as they were, beside those that others have set since.
  private func keepSoftware(of undo: SettingsUndo, on camera: any Camera) async {
    guard undo.software != nil, let known = try? await knownControls(of: camera), let now = knownSettings()
    else { return }
    memory.software = SoftwareMemory(now, abilities(known).kept)
  }

  /// What a failed change had set, in reverse order. Not cancelled with the call: what was begun is undone. What cannot be is told.
  func setBack(_ undo: SettingsUndo, on camera: any Camera) async {
    let steps = undo.done.reversed().compactMap { step in step.before.map { (step.control, $0) } }
    let worker = settingsState.software
    settingsState.flashMode = undo.flashMode ?? settingsState.flashMode
    await Task {
      if let zoom = undo.zoom {
        do throws(CaptureError) {
          _ = try await self.zoom(to: zoom, on: camera)
        } catch {
          note(.controlNotRestored, "the zoom could not be set back: \(error.message)")
        }
      }
      if let lamp = undo.lamp { putBack(lamp) }
      if let software = undo.software { _ = try? await worker?.set(software) }
      for (control, value) in steps {
        do throws(CaptureError) {
          try await camera.set([ControlAssignment(control.id, value)])
        } catch {
          guard self.camera === camera else { return }
          note(.controlNotRestored, "'\(control.name)' could not be set back: \(error.message)")
        }
      }
    }.value
    guard self.camera === camera else { return }
    // What was known may have been the reason; frames are to tell what holds now.
    settingsState.known = nil
    Task { _ = try? await knownControls(of: camera) }
  }

  /// The lamp as it was before a change that failed behind it.
  private func putBack(_ lamp: Lamp) {
    settingsState.lamp?.brightness = lamp.brightness
    guard settingsState.lamp?.level != lamp.level else { return }
    do throws(CaptureError) {
      _ = try light(lamp.level)
    } catch {
      note(.controlNotRestored, "the torch could not be set back: \(error.message)")
    }
  }
}
