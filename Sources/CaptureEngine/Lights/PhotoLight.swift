import CaptureModel

/// The light of a photo, and how to switch it off.
struct PhotoLight: Sendable {
  /// The change that switches the torch, or the driver's flash, back.
  var undo = SettingsChange()
  /// The control that ends a strobe which outlasts the photo.
  var stop: ControlID?
  /// The strobe's timeout as it was; `nil`: it was not changed.
  var timeout: ControlAssignment?
  /// The values that the driver's other controls had before the photo.
  private var values: [ControlAssignment] = []

  /// The values of the driver's controls from before the photo. A driver that cannot be asked to switch the light off gets them once it answers.
  var valuesBefore: [ControlAssignment] { timeout.map { values + [$0] } ?? values }

  init() {}

  /// Notes the controls that a transaction has set for the photo.
  mutating func add(_ transaction: SettingsTransaction) { values.addUnlisted(transaction.valuesBefore) }
}
