import CaptureControls
import CaptureModel

/// What was changed for some photos, and what undoes that.
struct SettingsUndo {
  /// The value that each control had before the first change of it.
  private(set) var controls: [ControlAssignment] = []
  /// The request that gives the node's own modes back.
  var automation: SoftwareRequest?
  /// What clients had asked for.
  let asked: SettingsMap.Asked

  init(asked: SettingsMap.Asked) { self.asked = asked }

  /// Takes in what a transaction has set.
  mutating func add(_ transaction: SettingsTransaction) {
    for step in transaction.done where !controls.contains(where: { $0.id == step.control.id }) {
      if let before = step.before { controls.append(ControlAssignment(step.control.id, before)) }
    }
  }
}
