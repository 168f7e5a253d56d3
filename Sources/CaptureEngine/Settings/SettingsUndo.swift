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
    for reading in transaction.done.flatMap(\.before)
    where !controls.contains(where: { $0.id == reading.control.id }) { controls.append(reading.assignment) }
  }
}
