import CaptureModel

/// A control's value as the driver says it.
public struct ControlReading: Hashable, Sendable {
  public let control: ControlDescription
  public let value: ControlValue
}

/// What setting controls led to.
public struct ControlsOutcome: Sendable {
  /// What the driver says of those that can be read, in the order of the assignments.
  public var readings: [ControlReading]
  /// For ``DeviceController/awaitChange(_:)``; 0: nothing was to be set.
  public var change: UInt64
  /// The camera streams: some frame to come is the first that has it. Else the next stream's first has it.
  public var isStreaming: Bool
  /// What was not set as asked.
  public var clamped: [ClampedValue] = []
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
    settingsState.known?.relist(controls)
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
    -> ControlsOutcome
  {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let camera = try presentCamera()
    guard !assignments.isEmpty else {
      return ControlsOutcome(readings: [], change: 0, isStreaming: timeline.isStreaming)
    }
    var known = try await knownControls(of: camera)
    var plan = SettingsPlan()
    plan.asked = settingsState.asked
    var clamped = Clamping(clamping)
    plan.others = try check(assignments, among: known.list, &clamped)
    plan.clamped = clamped.values
    var own = NodePart()
    if plan.letGo(of: known.description.controls) { (own.flash, own.takesTorch) = (.off, true) }
    if known[plan.others[0].id]?.flags.contains(.inactive) == true {
      known.relist(try await camera.controls())
    }
    try CaptureError.checkCancellation()
    let done = try await perform(plan, with: known, own: own, on: camera)
    let readings = plan.others.compactMap { assignment -> ControlReading? in
      guard let control = known[assignment.id], let value = done.readings[assignment.id] else { return nil }
      return ControlReading(control: control, value: value)
    }
    return ControlsOutcome(
      readings: readings, change: done.outcome.change, isStreaming: done.outcome.isStreaming,
      clamped: plan.clamped)
  }

  /// Current values of controls; those that have none are left out.
  public func readings(of ids: [ControlID]) async throws(CaptureError) -> [ControlReading] {
    guard !ids.isEmpty else { return [] }
    let camera = try presentCamera()
    let known = try await knownControls(of: camera)
    return try await read(ids.compactMap { known[$0] }.filter(\.isReadable), from: camera)
  }

  private func read(_ controls: [ControlDescription], from camera: any Camera) async throws(CaptureError)
    -> [ControlReading]
  {
    let values = try await camera.values(of: controls.map(\.id))
    return zip(controls, values).map { ControlReading(control: $0, value: $1) }
  }
}
