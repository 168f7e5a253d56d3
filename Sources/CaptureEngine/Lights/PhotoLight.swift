import CaptureControls
import CaptureModel

/// The light of a photo, and how to switch it off.
struct PhotoLight: Sendable {
  /// The change that switches the torch, or the driver's flash, back.
  var undo = SettingsChange()
  /// The latest change before the torch went out for the driver's flash; `nil`: the torch was off. Only without a later change by a client does the
  /// torch shine again.
  var changeBeforeFlash: UInt64?
  /// The control that ends a strobe which outlasts the photo.
  var stop: ControlID?
  /// The strobe's timeout as it was; `nil`: it was not changed.
  var timeout: ControlAssignment?
  /// The values that the driver's other controls had before the photo.
  private var values: [ControlAssignment] = []

  /// The values of the driver's controls from before the photo. A driver that cannot be asked to switch the light off gets them once it answers.
  var valuesBefore: [ControlAssignment] { timeout.map { values + [$0] } ?? values }

  /// Notes the controls that a transaction has set for the photo.
  mutating func add(_ transaction: SettingsTransaction) { values.addUnlisted(transaction.valuesBefore) }

  /// Leaves the torch to a client that has switched it since the flash was made ready: only the flash goes out.
  mutating func leaveTorch() {
    (undo.torch, undo.flash) = (nil, SettingsChange.Light(mode: .off))
    if let index = values.firstIndex(where: { $0.id == .flashLEDMode }) {
      values[index] = ControlAssignment(.flashLEDMode, .integer(0))
    }
  }
}
