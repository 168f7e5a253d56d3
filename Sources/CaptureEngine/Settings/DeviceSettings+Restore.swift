import CaptureControls
import CaptureModel

extension DeviceSettings {
  /// Begins with a camera that has appeared: restores its values and notifies watchers of what is different. `restores`: whether there were values to
  /// restore when it appeared. Values that clients have set since then stay.
  func resume(of camera: any Camera, restores: Bool) async {
    let away = takeTimeAway()
    if restores { await restoreControls(of: camera, isReported: true) }
    guard isReturnAwaited else { return }
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    // Reading the settings, if they are not known yet, lets watchers hear which of them differ.
    guard context.camera.isPresent(camera), let now = try? await known(of: camera),
      context.camera.isPresent(camera)
    else { return }
    notifyReturn(after: away, and: watchers.controls.filter { now[$0] != nil })
  }

  /// First reverts what a bracket or a calibration had changed when the camera was unplugged. Then sets the values that clients had set, as far as
  /// the camera accepts them: automatic modes first, then the values that these modes leave free.
  ///
  /// It takes its turn among clients' calls, so that it never undoes a later call. `isReported`: a notice names the controls that were restored.
  /// `unlessReverted`: nothing is set if there is nothing to revert when its turn comes.
  func restoreControls(of camera: any Camera, isReported: Bool, unlessReverted: Bool = false) async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    let (kept, current) = (context.saved.memory.controls, context.camera)
    guard current.isPresent(camera), camera.description.unusableReason == nil else { return }
    let valuesToRestore = takeValuesToRestore()
    if unlessReverted, valuesToRestore.isEmpty { return }
    if !valuesToRestore.isEmpty {
      await revert(to: valuesToRestore, on: camera)
      guard current.isPresent(camera) else { return restoreLater(valuesToRestore) }
      controls.forget()
    }
    guard !kept.isEmpty else { return }
    var restored: [(name: String, assignment: ControlAssignment)] = []
    for entries in [kept.switches, kept.values] where !entries.isEmpty {
      // If the controls cannot be listed, those that were restored before are different all the same.
      guard let list = try? await controls.reader.list(of: camera) else { break }
      for entry in entries {
        guard let control = list.first(where: { $0.id == entry.id }),
          control.flags.isDisjoint(with: [.inactive, .grabbed, .disabled, .readOnly]),
          context.stream.active == nil || !control.flags.contains(.modifyLayout)
        else { continue }
        await attempt("'\(control.name)' could not be set again", on: camera) { () throws(CaptureError) in
          let assignment = ControlAssignment(control.id, entry.value)
          try await camera.set([assignment])
          restored.append((control.name, assignment))
        }
        guard current.isPresent(camera) else { return }
      }
    }
    guard !restored.isEmpty else { return }
    if let gainsWereSetLast = restored.map(\.assignment).gainsWereSetLast {
      var present = asked
      present.gainsWereSetLast = gainsWereSetLast
      noteAsked(present)
    }
    if current.isPresent(camera) {
      let wasKnown = controls.known != nil
      controls.forget()
      if wasKnown { _ = try? await known(of: camera) }
    }
    if isReported {
      current.notify(
        .controlsRestored,
        "set again as clients had set them: \(restored.map(\.name).joined(separator: ", "))")
    }
  }

  /// Restores controls and the sensor's crop for a stream that begins. It waits for the controls for ``restorePatience``; after that they are restored in
  /// the background, since some cameras take seconds for a transfer.
  func restoreForStream(of camera: any Camera) async {
    if hasToRestore {
      await context.tasks.wait(atMost: restorePatience) {
        await $0.settings.restoreControls(of: camera, isReported: false)
      }
    }
    await zoom.restoreCrop(of: camera)
  }
}
