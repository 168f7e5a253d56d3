import CaptureModel

/// Two states of a camera between which its pictures differ, and what brings it there.
struct CalibrationStates {
  let first: SettingsPlan
  let second: SettingsPlan
  /// It takes its time from one to the other.
  let isGradual: Bool

  init(_ target: CalibrationTarget, _ pair: (Int64, Int64)) {
    func plan(_ value: Int64) -> SettingsPlan {
      .trial([ControlAssignment(target.control.id, .integer(value))])
    }
    (first, second, isGradual) = (plan(pair.0), plan(pair.1), target.isActuator)
  }

  /// First without the mode, and with a value instead.
  init(_ target: ModeSwitchTarget, _ value: Int64) {
    let mode = target.mode
    first = .trial(mode.control.id, to: mode.manual, then: (target.witness.id, value))
    second = .trial(mode.control.id, to: mode.automatic, then: nil)
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
    plan.isTransient = true
    plan.others = assignments
    return plan
  }
}
