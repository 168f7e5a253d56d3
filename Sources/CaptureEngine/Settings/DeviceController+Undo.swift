import CaptureModel
import CaptureSystem

/// How a camera was before a change, for when a later part of it fails.
struct SettingsUndo: Sendable {
  struct FrameDurations: Sendable {
    var wanted: SettingsChange.FrameDuration
    var former: SettingsChange.FrameDuration?
  }
  let change: UInt64
  /// What the driver took, in order.
  var done: [SettingsRun.Done] = []
  var software: SoftwareRequest?
  /// Of a lamp beside the camera.
  var lampLevel: Double?
  var lampBrightness: Double?
  var flashMode: LightMode?
  /// The factor of the node's own zoom; `nil`: it was not changed.
  var zoom: Double?
  var asked: SettingsMap.Asked
  var memory: CameraMemory
  var frameDuration: FrameDurations?

  init(
    change: UInt64, lamp: DeviceController.Lamp?, zoom: Double?, asked: SettingsMap.Asked,
    memory: CameraMemory
  ) {
    self.change = change
    (lampLevel, lampBrightness) = (lamp?.level, lamp?.brightness)
    self.zoom = zoom
    self.asked = asked
    self.memory = memory
  }
}

extension DeviceController {
  /// The stream could not keep to a change's bounds: all of the change is taken back, and those who wait for its frame hear why.
  func revoke(_ undo: SettingsUndo, _ error: CaptureError) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    timeline.abandon(undo.change, error)
    settingsState.keys[undo.change] = nil
    if settingsState.ramp?.change == undo.change { begin(nil) }
    // Other bounds, where another client has set them since, are that client's.
    if let bounds = undo.frameDuration, settingsState.frameDuration == bounds.wanted { bound(bounds.former) }
    settingsState.asked = undo.asked
    (memory.controls, memory.software) = (undo.memory.controls, undo.memory.software)
    (memory.zoom, memory.exposureMode) = (undo.memory.zoom, undo.memory.exposureMode)
    (memory.flash, memory.lamp) = (undo.memory.flash, undo.memory.lamp)
    settingsState.flashMode = undo.flashMode ?? settingsState.flashMode
    if let brightness = undo.lampBrightness { settingsState.lamp?.brightness = brightness }
    if let camera { await setBack(undo, on: camera) }
    softwareChanged()
  }

  /// What a failed change had set, in reverse order. Not cancelled with the call: what was begun is undone. What cannot be is told.
  func setBack(_ undo: SettingsUndo, on camera: any Camera) async {
    let steps = undo.done.reversed().compactMap { step in step.before.map { (step.control, $0) } }
    let worker = settingsState.software
    await Task {
      if let zoom = undo.zoom {
        do throws(CaptureError) {
          _ = try await self.zoom(to: zoom, on: camera)
        } catch {
          note(.controlNotRestored, "the zoom could not be set back: \(error.message)")
        }
      }
      if let level = undo.lampLevel, settingsState.lamp?.level != level { putBack(level) }
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
  private func putBack(_ level: Double) {
    do throws(CaptureError) {
      _ = try light(level)
    } catch {
      note(.controlNotRestored, "the torch could not be set back: \(error.message)")
    }
  }
}

extension FrameTimeline.Part {
  /// Something that no frame tells, and that the first frame from now on has.
  static var fromNowOn: FrameTimeline.Part {
    let now = MonotonicClock.now()
    return FrameTimeline.Part(
      setting: nil, value: nil, moment: ControlMoment(began: now, ended: now),
      delay: ControlDelay(frames: 0, provenance: .reported))
  }
}
