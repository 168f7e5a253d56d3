import CaptureControls
import CaptureModel

/// Two states of a camera in which its pictures differ, and the settings that lead to each.
struct CalibrationStates {
  /// A state: the settings that lead to it.
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

  /// The first state is without the mode and with a value in its place.
  init(_ target: ModeSwitchTarget, _ value: Int64) {
    let mode = target.mode
    first = State(.trial(mode.control.id, to: mode.manual, then: (target.witness.id, value)))
    second = State(.trial(mode.control.id, to: mode.automatic, then: nil))
    isGradual = true
  }
}

/// The switch of an automatic mode, and the value that makes it visible in pictures.
struct ModeSwitchTarget {
  let mode: ModeSwitch
  let witness: ControlDescription
  /// The delay of the witness, as it was measured.
  let witnessDelay: Int
  /// The values of the witness to try.
  let values: [Int64]
  /// Switches the mode off, and sets the witness as it was.
  let end: SettingsPlan
}
