import CaptureModel
import CaptureSystem

/// A camera's controls as its driver lists them, without those that it fails to describe.
struct ControlList {
  private(set) var controls: [ControlDescription] = []
  /// Says of each control that is left out why.
  private(set) var failures: [String] = []
  /// The label of the latest class, to which the next controls belong.
  private(set) var className = ""
  private var firstFailure: Errno?

  mutating func add(_ control: ControlDescription) {
    controls.append(control)
    if control.type == .controlClass { className = control.label }
  }

  /// Notes that the driver fails to describe a control. Throws `error` if the camera is gone or does not answer, so that it is asked for no
  /// further ones.
  mutating func addFailure(_ error: Errno, of control: String) throws(Errno) {
    if error.isOfCamera { throw error }
    firstFailure = firstFailure ?? error
    failures.append("its driver fails to describe \(control), which is left out: \(error)")
  }

  /// Throws the first failure if the driver has described no control at all.
  func requireControls() throws(Errno) {
    if let firstFailure, controls.allSatisfy({ $0.type == .controlClass }) { throw firstFailure }
  }
}
