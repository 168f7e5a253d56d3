import CaptureControls
import CaptureModel

/// Keeps the former values of settings that are changed for photos, to revert them afterwards.
struct SettingsUndo {
  /// The value that each control had before the first change of it.
  private(set) var controls: [ControlAssignment] = []
  /// The request that resumes the node's own modes.
  var automation: SoftwareRequest?
  /// The part of clients' requests that the camera's controls do not show, as it was before the photos.
  let asked: SettingsMap.Asked

  init(asked: SettingsMap.Asked) { self.asked = asked }

  /// Notes the controls that a transaction has set.
  mutating func add(_ transaction: SettingsTransaction) {
    add(transaction.done.flatMap(\.before).map(\.assignment))
  }

  /// Notes the controls that a transaction had set before it failed with `error`, and that the camera did not take back.
  mutating func add(unrestoredBy error: CaptureError) { add(error.unrestored) }

  private mutating func add(_ values: [ControlAssignment]) {
    for value in values where !controls.contains(where: { $0.id == value.id }) { controls.append(value) }
  }
}
