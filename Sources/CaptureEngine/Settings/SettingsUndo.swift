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
    controls.addUnlisted(transaction.valuesBefore)
  }

  /// Notes the controls that a transaction had set before it failed with `error`, and that the camera did not take back.
  mutating func add(unrestoredBy error: CaptureError) { controls.addUnlisted(error.unrestored) }
}

extension [ControlAssignment] {
  /// Adds the values of controls that the list does not have. So of former values that come in the order of the steps, each control's oldest counts.
  mutating func addUnlisted(_ values: [ControlAssignment]) {
    for value in values where !contains(where: { $0.id == value.id }) { append(value) }
  }
}
