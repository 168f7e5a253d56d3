import Capture3A
import CaptureControls
import CaptureModel

/// Holds the settings while photos are taken, and reverts its changes afterwards. The caller holds the gate `settings`.
extension DeviceSettings {
  /// The values that a mode of the driver moves.
  enum Moving: String { case exposure, focus, whiteBalance = "white balance" }

  /// Ends the node's own modes. The values that they have set stay.
  func endOwnModes(_ undo: inout SettingsUndo) async throws(CaptureError) {
    try await applyUnsetValues()
    undo.automation = try await automation.set(.releaseModes)
  }

  /// Locks the driver's modes at their present values, as far as these are known. Throws if a lock fails. `purpose`: the reason for the lock, in the
  /// error's message.
  func lock(_ moving: [Moving], for purpose: String, _ undo: inout SettingsUndo) async throws(CaptureError) {
    for moving in moving {
      guard let change = locking(moving) else { continue }
      do throws(CaptureError) {
        undo.add(try await applyChange(change, clamping: true, by: .photo).transaction)
      } catch {
        undo.add(unrestoredBy: error)
        throw error.prefixed(
          "the \(moving.rawValue) could not be locked for \(purpose), so no photo was taken")
      }
    }
  }

  /// The change that locks a mode at its present value; `nil`: the value does not move or is not known, or the camera cannot hold it.
  private func locking(_ moving: Moving) -> SettingsChange? {
    guard let present = latest(), let modes = controls.known?.description else { return nil }
    var change = SettingsChange()
    switch moving {
    case .exposure:
      guard let exposure = present.exposure, exposure.mode.isAutomatic, exposure.isKnown,
        let mode = [.custom, .locked].first(where: { modes.exposure?.modes.contains($0) == true })
      else { return nil }
      change.exposure.mode = mode
    case .whiteBalance:
      guard let balance = present.whiteBalance, balance.mode.isAutomatic, !balance.isSoftware,
        balance.isKnown, modes.whiteBalance?.modes.contains(.locked) == true
      else { return nil }
      change.whiteBalance.mode = .locked
    case .focus:
      guard let focus = present.focus, focus.mode.isAutomatic, !focus.isSoftware, focus.isKnown,
        modes.focus?.modes.contains(.locked) == true
      else { return nil }
      change.focus.mode = .locked
    }
    return change
  }

  /// Reverts the changes, even if the call is cancelled. A camera that was unplugged meanwhile gets its values when it returns.
  func revert(_ undo: SettingsUndo, on camera: any Camera) async {
    guard !undo.controls.isEmpty || undo.automation != nil else { return }
    var before = SettingsTransaction.Before()
    (before.controls, before.automation) = (undo.controls, undo.automation)
    await revert(to: before, readsAgain: false, on: camera)
    noteAsked(undo.asked)
    guard context.camera.isPresent(camera) else { return }
    await context.tasks.runToEnd { device in
      await device.settings.readAgain(of: camera)
    }
  }

  // MARK: Over a restart of the stream

  /// The values that the camera has to have after its stream was started again: some drivers forget controls then. Throws if
  /// none of them can be read.
  func valuesToKeep(of camera: any Camera) async throws(CaptureError) -> [ControlAssignment] {
    let known = try await known(of: camera)
    let kept = context.saved.memory.controls.entries.map(\.id)
    let ids = known.list.filter { control in
      (kept.contains(control.id) || known.map.ids.contains(control.id)) && control.isReadable
        && control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled, .volatile, .executeOnWrite])
    }.map(\.id)
    let values = try await controls.reader.values(of: ids, from: camera, requiring: .one)
    return ids.compactMap { id in values[id].map { ControlAssignment(id, $0) } }
  }

  /// Sets the values that the camera has lost, and its crop of the sensor. Returns whether the camera had kept all of them.
  func restoreAfterRestart(_ values: [ControlAssignment], on camera: any Camera) async -> Bool {
    var isKept = false
    await attempt("controls could not be set again with the new stream", on: camera) {
      () throws(CaptureError) in
      // The values are compared first: cameras seldom lose them, and listing the controls takes longer than everything else here.
      let present = try await controls.reader.values(of: values.map(\.id), from: camera)
      isKept = values.allSatisfy { present[$0.id] == $0.value }
      if !isKept { try await restoreValues(values, on: camera) }
    }
    return await zoom.restoreCrop(of: camera) && isKept
  }
}

extension CameraSettings.Exposure {
  fileprivate var isKnown: Bool { duration.map { $0.provenance != .unknown } ?? false }
}

extension CameraSettings.Focus {
  fileprivate var isKnown: Bool { lensPosition.map { $0.provenance != .unknown } ?? false }
}

extension CameraSettings.WhiteBalance {
  fileprivate var isKnown: Bool {
    (gains.map { $0.provenance != .unknown } ?? false)
      || (temperature.map { $0.provenance != .unknown } ?? false)
  }
}

extension SoftwareRequest {
  /// Ends all of the node's modes. The torch stays as it is.
  fileprivate static var releaseModes: SoftwareRequest {
    var request = SoftwareRequest.release
    request.torch = nil
    return request
  }
}
