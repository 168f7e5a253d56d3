import CaptureControls
import CaptureModel

/// Two states of a camera in which its pictures differ, and the settings that lead to each.
struct CalibrationStates {
  /// The settings that lead to a state.
  struct State {
    var plan = SettingsPlan()
    /// A zoom for which the driver has no control.
    var zoom: Double?
    var lamp: Double?

    init(_ plan: SettingsPlan) { self.plan = plan }

    init(_ control: ControlDescription, _ value: Int64) {
      switch control.id {
      case .sensorCrop: zoom = Double(value) / 1000
      case .lamp: lamp = Double(value) / Double(control.maximum)
      default: plan = .assigning([ControlAssignment(control.id, .integer(value))])
      }
    }
  }
  let first: State
  let second: State
  /// Whether the change between them takes time.
  let isGradual: Bool

  init(_ target: CalibrationTarget, _ pair: (Int64, Int64)) {
    first = State(target.control, pair.0)
    second = State(target.control, pair.1)
    isGradual = target.isActuator
  }

  /// In the first state the mode is off, and its witness has this value. In the second state the mode is on.
  init(_ target: ModeSwitchTarget, _ value: Int64) {
    let mode = target.mode
    first = State(.trial(mode.control.id, to: mode.manual, then: (target.witness.id, value)))
    second = State(.trial(mode.control.id, to: mode.automatic, then: nil))
    isGradual = true
  }
}

/// The switch of an automatic mode, and its witness: a control whose value makes the mode visible in pictures.
struct ModeSwitchTarget {
  let mode: ModeSwitch
  let witness: ControlDescription
  /// The measured delay of the witness, in frames.
  let witnessDelay: Int
  /// The values of the witness to try.
  let values: [Int64]
  /// Switches the mode off, and sets the witness back.
  let end: SettingsPlan
}
