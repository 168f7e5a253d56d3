import CaptureModel

/// What to set for a change, in this order: what ends a search, automatic modes, then what those leave free, then what acts at once.
///
/// Modes go out in a call of their own: uvcvideo sends the controls of one call in the camera's order, values before their switch; and a
/// value's control becomes active, its range valid, only after the switch.
public struct SettingsPlan: Hashable, Sendable {
  public struct Step: Hashable, Sendable {
    public var control: ControlID
    public var value: ControlValue

    package init(control: ControlID, value: ControlValue) { (self.control, self.value) = (control, value) }

    var assignment: ControlAssignment { ControlAssignment(control, value) }
  }
  /// Buttons that end what acts by itself, before anything else.
  public var stops: [Step] = []
  public var switches: [Step] = []
  /// Those that are so already: nothing to set, but to be set where the camera forgets them.
  public var met: [Step] = []
  public var values: [Step] = []
  public var buttons: [Step] = []
  /// Other controls of the driver, as they were asked for.
  public var others: [ControlAssignment] = []
  /// Read before the switches and set after them: values that an automatic mode found and that shall stay.
  public var held: [ControlID] = []
  /// Of `values` those that were held: where the camera does not free one with the mode, it stays by itself.
  public private(set) var kept: [ControlID] = []
  /// What the node does from pictures.
  public var software = SoftwareRequest()
  /// Values that were out of range.
  public var clamped: [ClampedValue] = []
  public var asked = SettingsMap.Asked()

  public init() {}

  /// The calls to make: none is empty.
  public var calls: [[ControlAssignment]] {
    var calls: [[ControlAssignment]] = []
    if !stops.isEmpty { calls.append(stops.map(\.assignment)) }
    if !switches.isEmpty { calls.append(switches.map(\.assignment)) }
    if !values.isEmpty { calls.append(values.map(\.assignment)) }
    if !buttons.isEmpty { calls.append(buttons.map(\.assignment)) }
    if !others.isEmpty { calls.append(others) }
    return calls
  }

  /// Has values stay that were read as `numbers`.
  public mutating func hold(_ numbers: SettingsMap.Numbers) {
    for id in held {
      guard let number = numbers[id] else { continue }
      values.append(Step(control: id, value: .integer(number)))
      kept.append(id)
    }
    held = []
  }
}
