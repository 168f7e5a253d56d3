import CaptureControls
import CaptureModel

/// Former values of controls that could not be set back yet, since the camera was gone, did not answer, or refused them. They are set when the camera
/// returns or answers, or when its next stream begins.
struct ValuesToRestore {
  private var values: [ControlAssignment] = []

  var isEmpty: Bool { values.isEmpty }

  /// Adds values from before all steps of a change. Each replaces a value of the same control that is from before a single step.
  mutating func add(_ added: [ControlAssignment]) {
    values.removeAll { former in added.contains { $0.id == former.id } }
    values += added
  }

  /// Adds values from before the steps of a change that ended half-way, in the order of the steps. Of each control the oldest value counts.
  mutating func add(beforeSteps added: [ControlAssignment]) { values.addUnlisted(added) }

  /// Removes what would undo a later change: values of the same controls, and modes that would take over these controls.
  mutating func removeWhatUndoes(_ transaction: SettingsTransaction) {
    guard !isEmpty else { return }
    let isSet = { (id: ControlID) in transaction.keys.contains(.control(id)) }
    let modes = transaction.known.map.modeSwitches.filter { $0.values.contains(where: isSet) }
    values.removeAll { value in isSet(value.id) || modes.contains { $0.control.id == value.id } }
  }

  /// Returns all, and forgets them.
  mutating func removeAll() -> [ControlAssignment] {
    defer { values = [] }
    return values
  }
}
