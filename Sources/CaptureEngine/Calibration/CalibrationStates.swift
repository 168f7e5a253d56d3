import CaptureControls
import CaptureModel

/// Two states of a camera between which its pictures differ, and what brings it there.
struct CalibrationStates {
  /// What is set for one of them.
  struct Trial {
    var plan = SettingsPlan.trial([])
    /// What no control of the driver is.
    var zoom: Double?
    var lamp: Double?

    init(_ plan: SettingsPlan) { self.plan = plan }

    init(_ control: ControlDescription, _ value: Int64) {
      switch control.id {
      case .sensorCrop: zoom = Double(value) / 1000
      case .lamp: lamp = Double(value) / Double(control.maximum)
      default: plan = .trial([ControlAssignment(control.id, .integer(value))])
      }
    }
  }
  let first: Trial
  let second: Trial
  /// It takes its time from one to the other.
  let isGradual: Bool

  init(_ target: CalibrationTarget, _ pair: (Int64, Int64)) {
    first = Trial(target.control, pair.0)
    second = Trial(target.control, pair.1)
    isGradual = target.isActuator
  }

  /// First without the mode, and with a value instead.
  init(_ target: ModeSwitchTarget, _ value: Int64) {
    let mode = target.mode
    first = Trial(.trial(mode.control.id, to: mode.manual, then: (target.witness.id, value)))
    second = Trial(.trial(mode.control.id, to: mode.automatic, then: nil))
    isGradual = true
  }
}

/// The switch of an automatic mode, and how it is seen in pictures.
struct ModeSwitchTarget {
  let mode: ModeSwitch
  let witness: ControlDescription
  /// Measured.
  let witnessDelay: Int
  /// Of the witness, to be tried.
  let values: [Int64]
  /// The mode is off and the witness as it was.
  let end: SettingsPlan
}

extension SettingsPlan {
  /// Of a trial.
  static func trial(_ assignments: [ControlAssignment]) -> SettingsPlan {
    var plan = SettingsPlan()
    plan.others = assignments
    return plan
  }
}
