import CaptureModel

extension DeviceController {
  /// The longest that a stream's start waits for controls: some cameras take seconds for a transfer.
  private static let restoringPatience = Duration.seconds(1)

  /// Sets again what clients had set, as far as it can be: automatic modes first, then what they leave free.
  ///
  /// Takes its turn among clients' calls, so that it never undoes a later one. `isTold`: success is worth a notice.
  func restoreControls(of camera: any Camera, isTold: Bool) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    guard !memory.controls.isEmpty, self.camera === camera, camera.description.unusableReason == nil else {
      return
    }
    var restored: [String] = []
    for entries in [memory.controls.switches, memory.controls.values] {
      guard !entries.isEmpty else { continue }
      guard let controls = try? await camera.controls() else { return }
      for entry in entries {
        guard let control = controls.first(where: { $0.id == entry.id }),
          control.flags.isDisjoint(with: [.inactive, .grabbed, .disabled, .readOnly]),
          stream == nil || !control.flags.contains(.modifyLayout)
        else { continue }
        do throws(CaptureError) {
          try await camera.set([ControlAssignment(control.id, entry.value)])
          restored.append(control.name)
        } catch {
          guard self.camera === camera else { return }
          note(.controlNotRestored, "'\(control.name)' could not be set again: \(error.message)")
        }
      }
    }
    guard !restored.isEmpty else { return }
    if self.camera === camera, settingsState.known != nil {
      settingsState.known = nil
      _ = try? await knownControls(of: camera)
    }
    if isTold {
      notify(.controlsRestored, "set again as clients had set them: \(restored.joined(separator: ", "))")
    }
  }

  /// As ``restoreControls(of:isTold:)``; returns when it is done, or goes on without being waited for.
  func restoreControlsForStream(of camera: any Camera) async {
    guard !memory.controls.isEmpty else { return }
    let ending = Ending()
    Task {
      await restoreControls(of: camera, isTold: false)
      ending.end(nil)
    }
    let timer = Task {
      try await Task.sleep(for: Self.restoringPatience)
      ending.end(nil)
    }
    try? await ending.wait()
    timer.cancel()
  }

  /// Tells it, and keeps it as the last error.
  func note(_ kind: CameraNotice.Kind, _ text: String) {
    past.streams.lastError = PastError(text)
    notify(kind, text)
  }

  nonisolated func notify(_ kind: CameraNotice.Kind, _ text: String) {
    report(CameraNotice(camera: id, kind: kind, text: text))
  }
}
