import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Changes settings, all or none: what was set before a control that fails is set back.
  ///
  /// Returns as soon as the driver has them. Calls take turns with each other and with ``set(_:clamping:)``; one that is cancelled before
  /// its turn sets nothing. `controls`: any others, set after the settings. With `clamping` what is out of range becomes the nearest
  /// possible value. Throws `invalidArgument` for what the camera cannot do, naming what it can, and what the driver refused.
  public func set(
    _ change: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool = false
  ) async throws(CaptureError) -> SettingsOutcome {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let camera = try presentCamera()
    var known = try await knownControls(of: camera)
    if change.isEmpty, assignments.isEmpty {
      throw CaptureError(.invalidArgument, "nothing is to be changed")
    }
    var planner = SettingsPlanner(
      camera: name, map: known.map, numbers: known.numbers, asked: settingsState.asked, clamping: clamping)
    var plan = try planner.plan(change)
    plan.others = try check(assignments, among: known.list, clamping: clamping)
    try CaptureError.checkCancellation()
    if !plan.held.isEmpty {
      try await read(plan.held, into: &known, from: camera)
      plan.hold(known.numbers)
    }
    return try await carryOut(plan, with: known, on: camera)
  }

  /// Focus and exposure to continuous, white balance to continuous, no bias: as far as the camera has them.
  public func resetSettings() async throws(CaptureError) -> SettingsOutcome {
    let description = try await settingsDescription()
    return try await set(.reset(description))
  }

  /// Sets what a plan says. The caller has the turn.
  func carryOut(_ plan: SettingsPlan, with known: KnownControls, on camera: any Camera)
    async throws(CaptureError) -> SettingsOutcome
  {
    try await perform(plan, with: known, on: camera).outcome
  }

  /// As ``carryOut(_:with:on:)``, with what the driver says of each control that was set.
  func perform(_ plan: SettingsPlan, with known: KnownControls, on camera: any Camera)
    async throws(CaptureError) -> (outcome: SettingsOutcome, readings: [ControlID: ControlValue])
  {
    var run = SettingsRun(plan, known: known, asked: settingsState.asked)
    settingsState.lastChange += 1
    let change = settingsState.lastChange
    timeline.begin(change, run.settingsInFlight)
    do throws(CaptureError) {
      for call in run.calls {
        try await make(call, of: change, in: &run, on: camera)
      }
      if run.isRelistDue { run.known.relist(try await camera.controls()) }
      run.readings = try await read(run.idsToReadBack, into: &run.known, from: camera)
    } catch {
      timeline.abandon(change)
      await setBack(run, on: camera)
      throw error
    }
    var memory = memory
    for step in run.done { memory.controls.note(step.control, step.value) }
    self.memory = memory
    settingsState.asked = plan.asked
    let settings = run.known.map.settings(run.known.numbers, asked: plan.asked)
    if self.camera === camera { (settingsState.known, settingsState.told) = (run.known, settings) }
    settingsState.keys[change] = run.keys(now: settings)
    let frame = run.known.map.frameSettings(settings)
    timeline.set(change, run.sideEffects(frame, delays: delays))
    let isStreaming = timeline.isStreaming
    timeline.end(change, frame)
    return (SettingsOutcome(change: change, settings: settings, isStreaming: isStreaming), run.readings)
  }

  private func make(
    _ call: [ControlAssignment], of change: UInt64, in run: inout SettingsRun, on camera: any Camera
  ) async throws(CaptureError) {
    if run.isRelistDue {
      run.known.relist(try await camera.controls())
      run.isRelistDue = false
    }
    try run.checkSettable(call)
    let moments = try await camera.set(call, pacing: timeline.pacing)
    timeline.set(change, run.took(call, moments, delays: delays))
  }

  /// What a failed change had set, in reverse order. Not cancelled with the call: what was begun is undone.
  private func setBack(_ run: SettingsRun, on camera: any Camera) async {
    let undo = run.done.reversed().compactMap { step in
      step.before.map { ControlAssignment(step.control.id, .integer($0)) }
    }
    await Task {
      for assignment in undo { try? await camera.set([assignment]) }
    }.value
    // What was known may have been the reason.
    if self.camera === camera { settingsState.known = nil }
  }

  /// Other controls by what people call them, as ``set(_:clamping:)`` takes them.
  func check(
    _ assignments: [NamedAssignment], among list: [ControlDescription], clamping: Bool
  ) throws(CaptureError) -> [ControlAssignment] {
    guard !assignments.isEmpty else { return [] }
    let table = ControlTable(camera: name, list)
    var checked: [ControlAssignment] = []
    for assignment in assignments {
      var control = try table.find(assignment.name)
      // Whether it can be set now shows when its turn comes: what goes before may free it.
      control.flags.remove(.inactive)
      try control.requireSettable()
      let value: ControlValue
      switch assignment.value {
      case .value(let given): value = given
      case .literal(let text): value = try control.value(of: text)
      }
      checked.append(ControlAssignment(control.id, try control.checked(value, clamping: clamping)))
    }
    return checked
  }
}
