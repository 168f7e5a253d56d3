import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Changes settings, all or none: what was set before a control that fails is set back.
  ///
  /// Returns as soon as the driver has them. Calls take turns with each other and with ``set(_:clamping:)``; one that is cancelled before
  /// its turn sets nothing. `controls`: any others, set after the settings. With `clamping` what is out of range becomes the nearest
  /// possible value. Throws `invalidArgument` for what the camera cannot do, naming what it can, and what the driver refused. Bounds of frames'
  /// duration that the stream turns out not to start with are set back alone: the rest of the change holds.
  public func set(
    _ change: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool = false
  ) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, before) = try await setInTurn(change, assignments, clamping: clamping)
    if let wanted = change.frameDuration { try await keepToFrameDuration(wanted, orTo: before) }
    return outcome
  }

  /// Also returns the bounds of frames' duration before the change.
  private func setInTurn(
    _ change: SettingsChange, _ assignments: [NamedAssignment], clamping: Bool
  ) async throws(CaptureError) -> (SettingsOutcome, SettingsChange.FrameDuration?) {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let before = settingsState.frameDuration
    return (try await make(change, controls: assignments, clamping: clamping), before)
  }

  /// `isSoftware`: nobody asked for it; `step`: only while that ramp is on its way. The caller has the turn.
  ///
  /// A camera may reset itself, which no driver tells. Where one refuses what should be free by what is known of it, all is asked anew, and
  /// it is tried once more; `isSure`: it has been.
  func make(
    _ asked: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool,
    isSoftware: Bool = false, step: ZoomRamp? = nil, isSure: Bool = false
  ) async throws(CaptureError) -> SettingsOutcome {
    var change = asked
    let camera = try presentCamera(isCleaningUp: isSoftware)
    if change.isEmpty, assignments.isEmpty {
      throw CaptureError(.invalidArgument, "nothing is to be changed")
    }
    if let step, settingsState.ramp?.ramp != step {
      throw CaptureError(.cancelled, "the zoom goes elsewhere")
    }
    var known = try await knownControls(of: camera)
    let changesZoom = change.zoom != nil
    var clamped = Clamping(clamping)
    let ramp = try planZoom(&change, known, &clamped)
    let factor = try planOwnZoom(&change, known, &clamped)
    var flashMode = isSoftware ? nil : try planFlash(&change, known)
    let lampChange = try planLamp(&change, known, &clamped)
    if let wanted = change.frameDuration { try await checkBounds(wanted) }
    var planner = SettingsPlanner(
      camera: name, map: known.map, numbers: known.numbers, asked: settingsState.asked,
      software: abilities(known), clamping: clamping)
    var plan = try planner.plan(change)
    if let isAutomatic = lampChange?.isAutomatic { plan.software.torch = isAutomatic }
    if isSoftware { plan.software = SoftwareRequest() }
    plan.others = try check(assignments, among: known.list, &clamped)
    plan.clamped += clamped.values
    if !plan.others.isEmpty, plan.letGo(of: known.description.controls) { flashMode = .off }
    try CaptureError.checkCancellation()
    if !plan.held.isEmpty {
      try await read(plan.held, into: &known, from: camera)
      plan.hold(known.numbers)
    }
    plan.isTransient = isSoftware
    let formerFlash = settingsState.flashMode
    if let flashMode { settingsState.flashMode = flashMode }
    let outcome: SettingsOutcome
    do throws(CaptureError) {
      outcome = try await perform(plan, with: known, lamp: lampChange?.level, zoom: factor, on: camera)
        .outcome
    } catch {
      settingsState.flashMode = formerFlash
      guard error.code == .failedPrecondition, !plan.met.isEmpty, !isSure else { throw error }
      settingsState.known = nil
      return try await make(
        asked, controls: assignments, clamping: clamping, isSoftware: isSoftware, step: step, isSure: true)
    }
    let isRamping = settingsState.ramp != nil
    if changesZoom, step == nil { begin(ramp) }
    if let wanted = change.frameDuration { bound(wanted) }
    if !isSoftware { keepLights(flashMode, lampChange, torch: asked.torch) }
    guard isRamping != (settingsState.ramp != nil) || change.frameDuration != nil else { return outcome }
    var settled = outcome
    report(into: &settled.settings, settingsState.known ?? known)
    softwareChanged()
    return settled
  }

  /// What works from pictures can do here.
  func abilities(_ known: KnownControls) -> SoftwareAbilities {
    var description = known.description
    if let lamp = lamp(known) { description.torch = lamp.description }
    if let kind = ownZoomKind(known) { description.zoom = .init(maximum: Self.ownZooms.maximum, kind: kind) }
    return settingsState.software?.abilities(beside: description) ?? SoftwareAbilities()
  }

  /// Focus and exposure to continuous, white balance to continuous, no bias: as far as the camera has them.
  public func resetSettings() async throws(CaptureError) -> SettingsOutcome {
    let description = try await settingsDescription()
    return try await set(.reset(description))
  }

  /// Sets what a plan says; also returns what the driver says of each control that was set, and when it was given them. The caller has
  /// the turn.
  func perform(
    _ plan: SettingsPlan, with known: KnownControls, lamp level: Double? = nil, zoom factor: Double? = nil,
    on camera: any Camera
  ) async throws(CaptureError) -> (
    outcome: SettingsOutcome, readings: [ControlID: ControlValue], moments: [ControlMoment]
  ) {
    var run = SettingsRun(plan, known: known, asked: settingsState.asked)
    var unread = known
    run.former = try await read(run.idsToKeep, into: &unread, from: camera)
    settingsState.lastChange += 1
    let change = settingsState.lastChange
    timeline.begin(change, run.settingsInFlight + (level == nil ? [] : [.torchLevel]))
    var undo: SoftwareRequest?
    let formerLevel = settingsState.lamp?.level
    do throws(CaptureError) {
      if !plan.software.isEmpty { undo = try await settingsState.software?.set(plan.software) }
      for call in run.calls {
        try await make(call, of: change, in: &run, on: camera)
      }
      if run.isRelistDue { run.known.relist(try await camera.controls()) }
      run.readings = try await read(run.idsToReadBack, into: &run.known, from: camera)
      if let level { timeline.set(change, [try light(level)]) }
      if let factor { timeline.set(change, [try await zoom(to: factor, on: camera)]) }
    } catch {
      timeline.abandon(change)
      if let formerLevel, settingsState.lamp?.level != formerLevel { putBack(formerLevel) }
      await setBack(run, undo, on: camera)
      throw error
    }
    if !plan.isTransient {
      var memory = memory
      for step in plan.met {
        if let control = run.known[step.control] { memory.controls.note(control, step.value) }
      }
      for step in run.done { memory.controls.note(step.control, step.value) }
      for control in run.known.controls(of: plan.software.takenOver) { memory.controls.forget(control.id) }
      if let factor { memory.zoom = factor }
      self.memory = memory
    }
    settingsState.asked = plan.asked
    var settings = run.known.map.settings(run.known.numbers, asked: plan.asked)
    report(into: &settings, run.known)
    if !plan.software.isEmpty, !plan.isTransient { memory.software = SoftwareMemory(settings) }
    settingsState.keys[change] = run.keys(since: settingsState.told, now: settings)
    if self.camera === camera { (settingsState.known, settingsState.told) = (run.known, settings) }
    let frame = run.known.map.frameSettings(settings)
    timeline.set(change, run.sideEffects(frame, delays: delays))
    let isStreaming = timeline.isStreaming
    timeline.end(change, frame)
    return (
      SettingsOutcome(
        change: change, settings: settings, isStreaming: isStreaming, clamped: plan.clamped),
      run.readings, run.done.map(\.moment)
    )
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

  /// What a failed change had set, in reverse order. Not cancelled with the call: what was begun is undone. What cannot be is told.
  private func setBack(_ run: SettingsRun, _ software: SoftwareRequest?, on camera: any Camera) async {
    let undo = run.done.reversed().compactMap { step in step.before.map { (step.control, $0) } }
    let worker = settingsState.software
    await Task {
      if let software { _ = try? await worker?.set(software) }
      for (control, value) in undo {
        do throws(CaptureError) {
          try await camera.set([ControlAssignment(control.id, value)])
        } catch {
          guard self.camera === camera else { return }
          note(.controlNotRestored, "'\(control.name)' could not be set back: \(error.message)")
        }
      }
    }.value
    guard self.camera === camera else { return }
    // What was known may have been the reason; frames are to tell what holds now.
    settingsState.known = nil
    Task { _ = try? await knownControls(of: camera) }
  }

  /// Sets the lamp.
  private func light(_ level: Double) throws(CaptureError) -> FrameTimeline.Part {
    let began = MonotonicClock.now()
    try settingsState.lamp?.light.set(level)
    settingsState.lamp?.level = level
    return FrameTimeline.Part(
      setting: .torchLevel, value: Observed(level, .assumed),
      moment: ControlMoment(began: began, ended: MonotonicClock.now()),
      delay: ControlDelay(frames: 0, provenance: .assumed))
  }

  /// The lamp as it was before a change that failed behind it.
  private func putBack(_ level: Double) {
    do throws(CaptureError) {
      _ = try light(level)
    } catch {
      note(.controlNotRestored, "the torch could not be set back: \(error.message)")
    }
  }

  /// Other controls by what people call them, as ``set(_:clamping:)`` takes them.
  func check(
    _ assignments: [NamedAssignment], among list: [ControlDescription], _ clamping: inout Clamping
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
      checked.append(ControlAssignment(control.id, try clamping.take(value, for: control)))
    }
    return checked
  }
}
