import CaptureModel

/// The switch of one of the camera's own automatic modes, and the values that the mode takes over. A calibration measures the switch.
public struct ModeSwitch: Hashable, Sendable {
  public let control: ControlDescription
  public let manual: Int64
  public let automatic: Int64
  /// Controls that the mode may take over.
  public let values: [ControlID]

  /// The control whose value is set when the mode ends, so that pictures show the first frame without the mode. Of the controls that the mode owns,
  /// it is the quickest one whose delay was measured. `list`: the controls while the mode is on. `nil`: there is no such control.
  public func witness(among list: [ControlDescription], _ delays: ControlDelays) -> ControlID? {
    values.filter { id in
      delays[id].provenance == .calibrated
        && list.contains { $0.id == id && $0.flags.contains(.inactive) }
    }
    .min { delays[$0].frames < delays[$1].frames }
  }

  /// How many frames lie between switching the mode and the first frame that has the switch. `manual`: the delays of trials that switched the mode
  /// off and set the witness. `automatic`: the delays of trials that switched it on, up to the first frame that the mode changed. `witness`: the
  /// delay of the witness alone. `nil`: the trials do not agree.
  public static func delay(manual: [Int], automatic: [Int], witness: Int) -> MeasuredDelay? {
    guard let ended = MeasuredDelay(trials: manual) else { return nil }
    // If the trials that ended the mode took no longer than the witness alone does, the switch is no slower than the witness, and may be quicker.
    // Then the trials that began the mode decide: a mode changes nothing before its first frame, so the switch is at least as quick as these trials
    // were.
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
  /// Values to set when an automatic mode ends. Two of them are far from each other, so that one is far from the value that the mode chose. For
  /// controls that take time to move, values next to the present one come first: the first frame of a long way shows too small a part of it.
  public var witnessValues: [Int64] {
    let extremes = pairs.suffix(2).first.map { [$0.1, $0.0] } ?? []
    return isActuator ? pairs.prefix(2).map(\.1) + extremes : extremes
  }
}
