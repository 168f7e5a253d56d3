import CaptureModel

/// A part of the camera that shows in pictures and is not a control of the driver, treated as if it were one.
struct PseudoControl {
  var control: ControlDescription
  var value: Int64
  /// Its entry among the controls of a camera's description (``SettingsDescription/controls``).
  var use: SettingsDescription.ControlUse

  init(
    _ control: ControlDescription, _ value: Double, of setting: Setting, _ conversion: String,
    _ delay: ControlDelay
  ) {
    (self.control, self.value) = (control, Int64(value.rounded()))
    use = SettingsDescription.ControlUse(
      setting: setting, control: control.id, name: control.name, conversion: conversion, delay: delay)
  }
}
