import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Changes settings, all or none: what was set before a part that fails is set back.
  ///
  /// Returns as soon as the driver has them. Calls take turns with each other and with ``set(_:clamping:)``; one that is cancelled before
  /// its turn sets nothing. `controls`: any others, set after the settings. With `clamping` what is out of range becomes the nearest
  /// possible value. Throws `invalidArgument` for what the camera cannot do, naming what it can, and what the driver or the stream's start refused.
  public func set(
    _ change: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool = false
  ) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, undo) = try await setInTurn(change, assignments, clamping: clamping)
    if undo.hasFrameDuration { try await keepToFrameDuration(of: undo) }
    return outcome
  }

  private func setInTurn(
    _ change: SettingsChange, _ assignments: [NamedAssignment], clamping: Bool
  ) async throws(CaptureError) -> (SettingsOutcome, SettingsUndo) {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    return try await make(change, controls: assignments, clamping: clamping)
  }

  /// `isSoftware`: nobody asked for it; `step`: only while that ramp is on its way. The caller has the turn.
  ///
  /// A camera may reset itself, which no driver tells; some even answer with what they sent last. Where one refuses what should be free by
  /// what is known of it, all is asked anew and tried once more, with the modes that seem to be as they should; `isSure`: it is this time.
  /// Not with what acts each time that it is set.
  func make(
    _ asked: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool,
    isSoftware: Bool = false, step: ZoomRamp? = nil, isSure: Bool = false
  ) async throws(CaptureError) -> (outcome: SettingsOutcome, undo: SettingsUndo) {
    var change = asked
    let camera = try presentCamera(isCleaningUp: isSoftware)
    if change.isEmpty, assignments.isEmpty {
      throw CaptureError(.invalidArgument, "nothing is to be changed")
    }
    if let step, settingsState.ramp?.ramp != step {
      throw CaptureError(.cancelled, "the zoom goes elsewhere")
    }
    var known = try await knownControls(of: camera)
    if change.focus != SettingsChange.Focus(), known[.autoFocusStatus]?.isReadable == true {
      // No event tells it.
      try await read([.autoFocusStatus], into: &known, from: camera)
    }
    let changesZoom = change.zoom != nil
    var clamped = Clamping(clamping)
    let ramp = try planZoom(&change, known, &clamped)
    var own = NodePart()
    own.zoom = try planOwnZoom(&change, known, &clamped)
    if !isSoftware { own.flash = try planFlash(&change, known) }
    own.lamp = try planLamp(&change, known, &clamped)
    own.takesTorch = asked.torch?.mode != nil || own.lamp != nil
    if let wanted = change.frameDuration { own.frameDuration = try await bounds(wanted, &clamped) }
    var planner = SettingsPlanner(
      camera: name, map: known.map, numbers: known.numbers, asked: settingsState.asked,
      software: abilities(known), clamping: clamping)
    var plan = try planner.plan(change)
    if isSure { (plan.switches, plan.met) = (plan.met + plan.switches, []) }
    if let isAutomatic = own.lamp?.isAutomatic { plan.software.torch = isAutomatic }
    if isSoftware { plan.software = SoftwareRequest() }
    plan.others = try check(assignments, among: known.list, &clamped)
    plan.clamped += clamped.values
    if !plan.others.isEmpty, plan.letGo(of: known.description.controls) {
      (own.flash, own.takesTorch) = (.off, true)
    }
    try CaptureError.checkCancellation()
    if !plan.held.isEmpty {
      try await read(plan.held, into: &known, from: camera)
      plan.hold(known.numbers)
    }
    plan.isTransient = isSoftware
    var promises: [Setting] = ramp == nil ? [] : [.zoomFactor]
    if own.frameDuration != nil, stream != nil { promises.append(.frameDuration) }
    var outcome: SettingsOutcome
    let undo: SettingsUndo
    do throws(CaptureError) {
      let done = try await perform(
        plan, with: known, own: own, promises: promises,
        ramp: step == nil ? nil : settingsState.ramp?.change, on: camera)
      (outcome, undo) = (done.outcome, done.undo)
    } catch {
      guard error.code == .failedPrecondition, !plan.met.isEmpty, !isSure, !plan.acts(on: known) else {
        throw error
      }
      settingsState.known = nil
      return try await make(
        asked, controls: assignments, clamping: clamping, isSoftware: isSoftware, step: step, isSure: true)
    }
    let isRamping = settingsState.ramp != nil
    if changesZoom, step == nil { begin(ramp, as: outcome.change) }
    if isRamping != (settingsState.ramp != nil) {
      report(into: &outcome.settings, settingsState.known ?? known)
      softwareChanged()
    }
    return (outcome, undo)
  }

  /// Focus and exposure to continuous at the centre, the whole range, no bias: as far as the camera has them. White balance stays.
  public func resetSettings() async throws(CaptureError) -> SettingsOutcome {
    let description = try await settingsDescription()
    return try await set(.reset(description))
  }

  /// Sets what a plan says; also returns what the driver says of each control that was set, when it was given them, and what undoes it.
  /// The caller has the turn.
  ///
  /// `promises`: parts of the change that are still to come. `ramp`: the change whose zoom is on its way with this one, and there if it is kept.
  func perform(
    _ plan: SettingsPlan, with known: KnownControls, own: NodePart = NodePart(), promises: [Setting] = [],
    ramp: UInt64? = nil, on camera: any Camera
  ) async throws(CaptureError) -> (
    outcome: SettingsOutcome, readings: ControlKeyed<ControlValue>, moments: [ControlMoment],
    undo: SettingsUndo
  ) {
    var run = SettingsRun(plan, known: known, asked: settingsState.asked)
    var unread = known
    run.former = try await read(run.idsToKeep, into: &unread, from: camera)
    settingsState.lastChange += 1
    let change = settingsState.lastChange
    timeline.begin(change, run.settingsInFlight + (own.lamp == nil ? [] : [.torchLevel]))
    for setting in promises { timeline.promise(change, setting) }
    func hand(_ parts: [FrameTimeline.Part]) {
      timeline.set(change, parts)
      if let ramp, !plan.isTransient, let part = parts.first(where: { $0.setting == .zoomFactor }) {
        timeline.fulfil(ramp, .zoomFactor, at: part.moment, delay: part.delay)
      }
    }
    var undo = SettingsUndo(change, of: own, before: settingsState, memory)
    let moments: [ControlMoment]
    settingsState.flashMode = own.flash ?? settingsState.flashMode
    do throws(CaptureError) {
      if !plan.software.isEmpty { undo.software = try await settingsState.software?.set(plan.software) }
      // What no control does, as a mode of the node, begins with the next frame; what changes nothing is as if it did.
      if run.calls.isEmpty, own.lamp == nil, own.zoom == nil { hand([.fromNowOn()]) }
      for call in run.calls {
        hand(try await make(call, in: &run, on: camera))
      }
      if run.isRelistDue { run.known.relist(try await camera.controls()) }
      run.readings = try await read(run.idsToReadBack, into: &run.known, from: camera)
      var parts: [FrameTimeline.Part] = []
      if let lamp = own.lamp { parts.append(try light(lamp.level)) }
      if let factor = own.zoom { parts.append(try await zoom(to: factor, on: camera)) }
      if !parts.isEmpty { hand(parts) }
      moments = run.done.map(\.moment) + parts.map(\.moment)
    } catch {
      timeline.abandon(change)
      (undo.done, undo.zoom) = (run.done, nil)
      await setBack(undo, on: camera)
      throw error
    }
    undo.done = run.done
    if !plan.isTransient { undo.keys = keep(plan, own, of: run, by: ramp ?? change) }
    settingsState.asked = plan.asked
    var settings = run.known.map.settings(run.known.numbers, asked: plan.asked)
    report(into: &settings, run.known)
    if !plan.software.isEmpty, !plan.isTransient {
      memory.software = SoftwareMemory(settings, abilities(run.known).kept)
    }
    settingsState.keys[change] = run.keys(since: settingsState.told, now: settings)
    if self.camera === camera {
      (settingsState.known, settingsState.told) = (run.known, settings)
      followSearch(of: camera)
    }
    let frame = run.known.map.frameSettings(settings)
    timeline.set(change, run.sideEffects(frame, delays: delays))
    let isStreaming = timeline.isStreaming
    timeline.end(change, frame)
    return (
      SettingsOutcome(
        change: change, settings: settings, isStreaming: isStreaming, clamped: plan.clamped),
      run.readings, moments, undo
    )
  }

  /// What a client's change leaves is to outlive the stream, the camera and the node. Returns what it set.
  private func keep(_ plan: SettingsPlan, _ own: NodePart, of run: SettingsRun, by author: UInt64)
    -> [SettingsKey]
  {
    var keys = own.keys + plan.software.keys
    var memory = memory
    for step in plan.met {
      guard let control = run.known[step.control] else { continue }
      memory.controls.note(control, step.value)
      keys.append(.control(control.id))
    }
    for step in run.done {
      memory.controls.note(step.control, step.value)
      keys.append(.control(step.control.id))
    }
    for control in run.known.controls(of: plan.software.takenOver) {
      memory.controls.forget(control.id)
      keys.append(.control(control.id))
    }
    if plan.asked.exposureMode != settingsState.asked.exposureMode { keys.append(.setting(.exposureMode)) }
    memory.exposureMode = plan.asked.exposureMode
    memory.zoom = own.zoom ?? memory.zoom
    if own.takesTorch { settingsState.photoLight = nil }
    if let flash = own.flash { memory.flash = flash == .off ? nil : flash }
    if let lamp = own.lamp { memory.lamp = keep(lamp) }
    self.memory = memory
    if let durations = own.frameDuration { bound(durations) }
    for key in keys { settingsState.authors[key] = author }
    return keys
  }

  private func make(_ call: [ControlAssignment], in run: inout SettingsRun, on camera: any Camera)
    async throws(CaptureError) -> [FrameTimeline.Part]
  {
    if run.isRelistDue {
      run.known.relist(try await camera.controls())
      run.isRelistDue = false
    }
    let call = run.due(call)
    guard !call.isEmpty else { return [] }
    try run.checkSettable(call)
    let moments = try await camera.set(call, pacing: timeline.pacing)
    return run.took(call, moments, delays: delays)
  }

  /// Sets the lamp.
  func light(_ level: Double) throws(CaptureError) -> FrameTimeline.Part {
    let began = MonotonicClock.now()
    try settingsState.lamp?.light.set(level)
    settingsState.lamp?.level = level
    return FrameTimeline.Part(
      setting: .torchLevel, value: Observed(level, .assumed),
      moment: ControlMoment(began: began, ended: MonotonicClock.now()),
      delay: delays[.lamp])
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
