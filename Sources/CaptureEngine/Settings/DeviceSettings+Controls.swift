import CaptureControls
import CaptureModel

/// Gives other parts of the device access to the camera's controls and their delays.
extension DeviceSettings {
  /// Whether the camera has a control of the exposure's mode, as far as its controls are known.
  var hasExposureModes: Bool { controls.known?.description.exposure?.modes.isEmpty == false }

  /// Whether the driver reports if its search for focus is over.
  var hasFocusStatus: Bool { controls.known?[.autoFocusStatus]?.isReadable == true }

  /// How many frames pass between a change of each control and the first frame that has it.
  var delays: ControlDelays { controls.delays }

  /// Whether the delays of all these controls were measured by a calibration. An empty list gives `false`.
  func areDelaysCalibrated(of ids: [ControlID]) -> Bool {
    !ids.isEmpty && ids.allSatisfy { delays[$0].provenance == .calibrated }
  }

  /// Sets a control's delay as calibration measured it, and keeps it over restarts; `nil` forgets it.
  func setDelay(_ measured: MeasuredDelay?, of control: ControlID) {
    controls.setDelay(measured, of: control)
  }

  /// Notes how many frames passed until pictures showed a change of `setting` by the node.
  func observeDelay(_ frames: Int, of setting: Setting) { controls.observeDelay(frames, of: setting) }

  /// Sets the ISO of the least and the most gain, for a camera without an ISO control.
  func setGainISO(_ range: ClosedRange<Double>?) { controls.setGainISO(range) }
}
