import CaptureModel

/// A control's value as the driver says it.
public struct ControlReading: Hashable, Sendable {
  public let control: ControlDescription
  public let value: ControlValue
}

/// A value for a control, by what a person calls it.
public struct NamedAssignment: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case value(ControlValue)
    /// As a person writes it.
    case literal(String)
  }
  public var name: String
  public var value: Value

  public init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

extension DeviceController {
  /// Every control with its current value; `nil` where it cannot be read.
  public func controls() async throws(CaptureError) -> [(control: ControlDescription, value: ControlValue?)] {
    let camera = try presentCamera()
    let controls = try await camera.controls()
    let readable = controls.filter(\.isReadable)
    let values = try await camera.values(of: readable.map(\.id))
    let byID = Dictionary(zip(readable.map(\.id), values), uniquingKeysWith: { first, _ in first })
    return controls.map { ($0, byID[$0.id]) }
  }

  /// Current values, in the order asked. Throws `notFound` for a name that no control has, `failedPrecondition` for one without a value.
  public func readings(of names: [String]) async throws(CaptureError) -> [ControlReading] {
    let camera = try presentCamera()
    let table = ControlTable(camera: name, try await camera.controls())
    var found: [ControlDescription] = []
    for name in names {
      let control = try table.find(name)
      try control.requireReadable()
      found.append(control)
    }
    return try await read(found, from: camera)
  }

  /// Sets controls in order, all or none; says what the driver has afterwards (of those that can be read).
  ///
  /// All values are checked against the controls' flags and ranges before the first is set: `invalidArgument` naming what is possible,
  /// `failedPrecondition` for one that cannot be set now. `clamping` turns what is out of range into the nearest possible value.
  /// A control that an assignment before it in the same call may free (a manual value behind its automatic mode) is left to the driver.
  /// Calls take turns; one that is cancelled before its turn, or before the camera was touched, sets nothing. What was set is set again
  /// where the camera forgets it.
  public func set(_ assignments: [NamedAssignment], clamping: Bool) async throws(CaptureError)
    -> [ControlReading]
  {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let camera = try presentCamera()
    let table = ControlTable(camera: name, try await camera.controls())
    var checked: [ControlAssignment] = []
    var controls: [ControlDescription] = []
    for assignment in assignments {
      var control = try table.find(assignment.name)
      // Not only after one with the update flag: uvcvideo gives its automatic modes none.
      if !controls.isEmpty { control.flags.remove(.inactive) }
      try control.requireSettable()
      let value: ControlValue
      switch assignment.value {
      case .value(let given): value = given
      case .literal(let text): value = try control.value(of: text)
      }
      checked.append(ControlAssignment(control.id, try control.checked(value, clamping: clamping)))
      controls.append(control)
    }
    try CaptureError.checkCancellation()
    try await camera.set(checked)
    for (control, assignment) in zip(controls, checked) { memory.note(control, assignment.value) }
    return try await read(controls.filter(\.isReadable), from: camera)
  }

  private func read(_ controls: [ControlDescription], from camera: any Camera) async throws(CaptureError)
    -> [ControlReading]
  {
    let values = try await camera.values(of: controls.map(\.id))
    return zip(controls, values).map { ControlReading(control: $0, value: $1) }
  }
}
