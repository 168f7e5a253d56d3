import CaptureModel

/// The switch of one of the camera's own automatic modes, and the values that the mode takes over. A calibration measures the switch.
public struct ModeSwitch: Hashable, Sendable {
  public let control: ControlDescription
  public let manual: Int64
  public let automatic: Int64
  /// Controls that the mode may take over.
  public let values: [ControlID]

  /// The control whose value is set when the mode ends, so that pictures show which frame is the first without the mode. It is one of the controls that
  /// the mode owns, as `list` has them while the mode is on, and of these the quickest whose delay was measured. `nil`: there is none.
  public func witness(among list: [ControlDescription], _ delays: ControlDelays) -> ControlID? {
    values.filter { id in
      delays[id].provenance == .calibrated
        && list.contains { $0.id == id && $0.flags.contains(.inactive) }
    }
    .min { delays[$0].frames < delays[$1].frames }
  }

  /// How many frames lie between a switching and the first frame that has it. `manual`: delays of trials that switched the mode off and set the
  /// witness, which has a delay of its own. `automatic`: delays of trials that switched it on, up to the first frame that the mode changed. `nil`: the
  /// trials do not agree.
  public static func delay(manual: [Int], automatic: [Int], witness: Int) -> MeasuredDelay? {
    guard let ended = MeasuredDelay(trials: manual) else { return nil }
    // If these trials took no longer than the witness alone does, the switch is no slower than it, and may be quicker. The other trials tell: a mode changes
    // nothing before its first frame, so that the switch is at least as quick as they were.
    guard ended.frames <= witness, let begun = MeasuredDelay(trials: automatic), begun.frames < ended.frames
    else { return ended }
    return begun
  }
}

extension SettingsMap {
  /// The switches of the camera's own automatic modes.
  public var modeSwitches: [ModeSwitch] {
    let balances = gains.map { [$0.red.control.id, $0.blue.control.id] } ?? []
    return switches(exposureModes, .continuous, .custom, values: owned(.exposureDuration, .gain, .iso))
      + switches(whiteBalanceModes, .continuous, .locked, values: owned(.temperature) + balances)
      + switches(focusModes, .continuous, .locked, values: owned(.lensPosition))
  }

  private func owned(_ settings: Setting...) -> [ControlID] {
    settings.compactMap { settable($0) == nil ? nil : values[$0]?.control.id }
  }

  private func switches<Name>(
    _ modes: [ControlMapping.Mode<Name>], _ automatic: Name, _ manual: Name, values: [ControlID]
  ) -> [ModeSwitch] {
    guard let on = modes.first(where: { $0.mode == automatic }),
      let off = modes.first(where: { $0.mode == manual })
    else { return [] }
    return on.existing.compactMap { row, control in
      guard row.bits == nil, let automatic = row.value(for: control),
        let manual = off.existing.first(where: { $0.control.id == control.id })?.row.value(for: control)
      else { return nil }
      return ModeSwitch(control: control, manual: manual, automatic: automatic, values: values)
    }
  }
}

extension SettingsPlan {
  /// The assignments of a trial: a switch, and then a value that it frees.
  public static func trial(_ control: ControlID, to position: Int64, then value: (ControlID, Int64)?)
    -> SettingsPlan
  {
    var plan = SettingsPlan()
    plan.switches = [Step(control: control, value: .integer(position))]
    if let value { plan.values = [Step(control: value.0, value: .integer(value.1))] }
    return plan
  }
}

extension CalibrationTarget {
  /// Values to set when an automatic mode ends. There are two, far from each other, since the mode's own choice is then far from one of them. For
  /// controls that take time to move, values next to the present one come first: on a long way the first frame shows too little.
  public var witnessValues: [Int64] {
    let extremes = pairs.suffix(2).first.map { [$0.1, $0.0] } ?? []
    return isActuator ? pairs.prefix(2).map(\.1) + extremes : extremes
  }
}
