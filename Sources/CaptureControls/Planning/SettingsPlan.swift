import CaptureModel

/// The steps of a change, in order: buttons that end a search, then switches of modes, then the values that these modes leave free, then buttons that
/// act at once, then other controls.
///
/// Modes go out in a call of their own: uvcvideo sends the controls of one call in the camera's order, which may put values before their switch. A
/// value's control becomes active, and its range valid, only after the switch.
public struct SettingsPlan: Hashable, Sendable {
  public struct Step: Hashable, Sendable {
    public var control: ControlID
    public var value: ControlValue

    package init(control: ControlID, value: ControlValue) { (self.control, self.value) = (control, value) }

    var assignment: ControlAssignment { ControlAssignment(control, value) }
  }
  /// The switch of a light that is not on, and that a change leaves alone although it switches the light off.
  public struct LeftOff: Hashable, Sendable {
    public var control: ControlID
    /// The value with which the light is on.
    public var on: ControlValue
    public var off: ControlValue
  }
  /// Buttons that stop what acts by itself, before everything else.
  public var stops: [Step] = []
  public var switches: [Step] = []
  /// Controls that already have the value that the change needs. They are not set now, but they are set again when the camera has forgotten them.
  public var alreadySet: [Step] = []
  /// Nothing is set for these now, but a light that was on when clients last set it is not switched on again later.
  public var leftOff: [LeftOff] = []
  public var values: [Step] = []
  public var buttons: [Step] = []
  /// Other controls of the driver that the client set.
  public var others: [ControlAssignment] = []
  /// Controls that are read before the switches and set after them: values that an automatic mode found and that shall stay.
  public var valuesToKeep: [ControlID] = []
  /// The controls in ``values`` that need not be set if an automatic mode owns them when their turn comes: the mode has found their values, or finds
  /// others.
  public private(set) var kept: [ControlID] = []
  /// What the node shall do from pictures.
  public var software = SoftwareRequest()
  /// Values that were out of range, or were rounded to a step.
  public var clamped: [ClampedValue] = []
  public var asked = SettingsMap.Asked()

  public init() {}

  /// The calls to make. None of them is empty.
  public var calls: [[ControlAssignment]] {
    var calls: [[ControlAssignment]] = []
    if !stops.isEmpty { calls.append(stops.map(\.assignment)) }
    if !switches.isEmpty { calls.append(switches.map(\.assignment)) }
    if !values.isEmpty { calls.append(values.map(\.assignment)) }
    if !buttons.isEmpty { calls.append(buttons.map(\.assignment)) }
    if !others.isEmpty { calls.append(others) }
    return calls
  }

  /// Adds the controls in ``valuesToKeep`` to the values to set. `numbers`: the controls' numbers as they were read.
  public mutating func addValuesToKeep(_ numbers: SettingsMap.Numbers) {
    for id in valuesToKeep {
      guard let number = numbers[id] else { continue }
      values.append(Step(control: id, value: .integer(number)))
      kept.append(id)
    }
    valuesToKeep = []
  }

  /// Notes the values that are not set if automatic modes own them when their turn comes: those for whose controls `isOfMode` returns `true`.
  mutating func leaveToModes(_ isOfMode: (ControlID) -> Bool) {
    kept += values.map(\.control).filter(isOfMode)
    // A switch that already had the position for the values gets the one for the mode.
    alreadySet.removeAll { step in switches.contains { $0.control == step.control } }
  }
}
