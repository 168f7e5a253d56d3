import CaptureControls
import CaptureModel
import CaptureSystem

extension DeviceSettings {
  /// Changes settings, all or none: if a part fails, the parts before it are reverted.
  ///
  /// Returns as soon as the driver has them. Calls take turns; a call that is cancelled before the camera was touched sets nothing.
  /// `controls` are set after the settings, in order; an assignment that repeats the one before it is ignored. All values are checked against the
  /// controls' flags and ranges before the first is set. Whether an automatic mode owns a control is checked only when the control's turn comes: an
  /// assignment before it may end that mode. With `clamping` a value out of range becomes the nearest possible one. The node sets all of the values
  /// again if the camera forgets them. Throws `invalidArgument` for what the camera cannot do (the error names what it can), and for what the driver
  /// or the start of the stream refused. Throws `failedPrecondition` for a control that cannot be set now.
  public func set(
    _ change: SettingsChange, controls assignments: [NamedAssignment] = [],
    clamping: Bool = false
  ) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, transaction) = try await setInTurn(change, assignments, clamping: clamping)
    try await applyFrameDuration(of: transaction)
    return outcome
  }

  /// Sets controls alone, as ``set(_:controls:clamping:)`` does. An empty list is no error.
  public func set(_ assignments: [NamedAssignment], clamping: Bool)
    async throws(CaptureError) -> SettingsOutcome
  {
    if !assignments.isEmpty {
      return try await set(SettingsChange(), controls: assignments, clamping: clamping)
    }
    _ = try context.camera.required()
    return SettingsOutcome(
      change: 0, settings: latest() ?? CameraSettings(), isStreaming: context.timeline.isStreaming)
  }

  private func setInTurn(
    _ change: SettingsChange, _ assignments: [NamedAssignment], clamping: Bool
  ) async throws(CaptureError) -> (SettingsOutcome, SettingsTransaction) {
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    return try await applyChange(change, controls: assignments, clamping: clamping, by: .client)
  }

  /// Sets focus and exposure to continuous at the centre, with the whole range and no bias, as far as the camera has these. White balance stays.
  public func reset() async throws(CaptureError) -> SettingsOutcome {
    try await set(.reset(try await describe()))
  }

  /// Makes the running stream keep to the frame duration that a transaction has set. If it cannot, the whole transaction is reverted.
  func applyFrameDuration(of transaction: SettingsTransaction)
    async throws(CaptureError)
  {
    guard transaction.hasFrameDuration else { return }
    do throws(CaptureError) {
      let change = transaction.change
      try await context.tasks.device?.run { device throws(CaptureError) in
        try await device.frameDuration.applyToStream(fulfilling: change, on: device)
      }
    } catch {
      let named = error.naming(
        await revoke(transaction, error), unread: transaction.controlsUnreadBefore)
      // This comes after the revert: the session starts its stream again with the old bounds.
      if context.stream.active == nil { context.stream.reservation?.report(.ended, named.message) }
      throw named
    }
  }

  /// Plans a change and carries it out. `step`: the change belongs to this ramp, and is made only while the ramp is on its way. The caller holds the
  /// gate `settings`.
  ///
  /// A camera may reset itself, and no driver reports that. If a camera refuses a control that seemed settable, everything is read again, and the
  /// change is tried once more (`isRetry`). The second try also sets modes that seem to be right already: some drivers report the value that they
  /// last sent, not the camera's. A change with a button, or with another control that acts each time that it is set, is not tried again.
  func applyChange(
    _ change: SettingsChange, controls assignments: [NamedAssignment] = [], clamping: Bool,
    by origin: SettingsTransaction.Origin, step: ZoomRamp? = nil, isRetry: Bool = false
  ) async throws(CaptureError) -> (outcome: SettingsOutcome, transaction: SettingsTransaction) {
    let camera = try context.camera.required(isCleaningUp: origin != .client)
    if change.isEmpty, assignments.isEmpty {
      throw CaptureError(.invalidArgument, "nothing is to be changed", .init(.valueMissing, field: "change"))
    }
    if let step, !zoom.isOnItsWay(step) {
      throw CaptureError(.cancelled, "the zoom goes elsewhere", .init(.changeReplaced))
    }
    let (planned, ramp) = try await plan(change, assignments, clamping, by: origin, isRetry, on: camera)
    var transaction = planned
    if step != nil { transaction.ramp = zoom.ramp?.change }
    var outcome: SettingsOutcome
    do throws(CaptureError) {
      outcome = try await apply(&transaction, on: camera)
    } catch {
      let plan = transaction.plan
      guard error.code == .failedPrecondition, !plan.alreadySet.isEmpty, !isRetry,
        !plan.hasActions(among: transaction.known)
      else { throw error }
      controls.forget()
      let first = error
      do throws(CaptureError) {
        return try await applyChange(
          change, controls: assignments, clamping: clamping, by: origin, step: step, isRetry: true)
      } catch {
        throw error.naming(first, among: transaction.known)
      }
    }
    let isRamping = zoom.ramp != nil
    if change.zoom != nil, step == nil { replaceRamp(with: ramp, as: outcome.change) }
    if isRamping != (zoom.ramp != nil) {
      report(into: &outcome.settings, controls.known ?? transaction.known)
      automationChanged()
    }
    if !assignments.isEmpty {
      outcome.readings = transaction.plan.others.compactMap { assignment in
        guard let control = transaction.known[assignment.id], let value = transaction.readings[assignment.id]
        else { return nil }
        return ControlReading(control: control, value: value)
      }
    }
    return (outcome, transaction)
  }

  private func plan(
    _ asked: SettingsChange, _ assignments: [NamedAssignment], _ clamping: Bool,
    by origin: SettingsTransaction.Origin, _ isRetry: Bool, on camera: any Camera
  ) async throws(CaptureError) -> (SettingsTransaction, ZoomRamp?) {
    var change = asked
    var known = try await self.known(of: camera)
    if change.focus != SettingsChange.Focus(), known[.autoFocusStatus]?.isReadable == true {
      // The value is read because no event reports its changes.
      try await controls.read([.autoFocusStatus], into: &known, from: camera)
    }
    var clamped = Clamping(clamping)
    let ramp = try zoom.planRamp(&change, known, &clamped)
    let ownZoom = try zoom.plan(&change, known, &clamped)
    var flash: LightMode?
    var lamp: Lamp.Change?
    if change.torch != nil || change.flash != nil {
      let torchMode = latest()?.torch?.mode
      if origin == .client { flash = try lights.planFlash(&change, known, torchMode: torchMode ?? .off) }
      lamp = try lights.planLamp(&change, known, (abilities(known).torchModes, torchMode), &clamped)
    }
    var bounds: SettingsChange.FrameDuration?
    if let wanted = change.frameDuration { bounds = try await frameDuration.plan(wanted, &clamped) }
    var plan = SettingsPlan()
    plan.asked = self.asked
    if !change.isEmpty {
      var planner = SettingsPlanner(
        camera: context.camera.name, map: known.map, numbers: known.numbers, asked: self.asked,
        software: abilities(known), clamping: clamping)
      plan = try origin == .automation ? planner.planAutomation(change) : planner.plan(change)
    }
    if isRetry { (plan.switches, plan.alreadySet) = (plan.alreadySet + plan.switches, []) }
    if let isAutomatic = lamp?.isAutomatic { plan.software.torch = isAutomatic }
    if origin != .client { plan.software = SoftwareRequest() }
    plan.others = try check(assignments, among: known.list, &clamped)
    plan.asked.gainsWereSetLast = plan.others.gainsWereSetLast ?? plan.asked.gainsWereSetLast
    plan.clamped += clamped.values
    var setsTorch = asked.torch?.mode != nil || lamp != nil
    if !plan.others.isEmpty, plan.releaseModes(of: known.description.controls) {
      (flash, setsTorch) = (.off, true)
    }
    if origin == .client { addOwedExposure(to: &plan, known) }
    try CaptureError.checkCancellation()
    if !plan.valuesToKeep.isEmpty {
      try await controls.read(plan.valuesToKeep, into: &known, from: camera)
      plan.addValuesToKeep(known.numbers)
    }
    var transaction = self.transaction(plan, by: origin, known)
    (transaction.lamp, transaction.flash, transaction.zoom) = (lamp, flash, ownZoom)
    (transaction.frameDuration, transaction.setsTorch) = (bounds, setsTorch)
    if ramp != nil { transaction.promises.append(.zoomFactor) }
    if bounds != nil, context.stream.active != nil { transaction.promises.append(.frameDuration) }
    return (transaction, ramp)
  }

  /// Adds the exposure from before a search to a plan that ends the node's exposure mode, if the camera has yet to get that exposure back. Values
  /// that the driver has refused so far are not added, since the driver would then refuse the client's change too: they are tried again by
  /// themselves.
  private func addOwedExposure(to plan: inout SettingsPlan, _ known: KnownControls) {
    guard plan.software.exposure?.releases == true, [nil, .custom].contains(plan.asked.exposureMode),
      let software = automation.software
    else { return }
    let own = plan.calls.joined().map(\.id) + plan.alreadySet.map(\.control)
    if var refused = software.refusedExposure {
      for setting in Setting.ofCustomExposure
      where known.controls(of: [setting]).contains(where: { own.contains($0.id) }) {
        refused.numbers[setting] = nil
      }
      // The client's mode is newer than the one from before the search.
      refused.mode = nil
      if refused != .init() { plan.software.exposure?.stillOwed = refused }
    }
    guard let owed = software.unrefusedExposure else { return }
    var planner = SettingsPlanner(
      camera: context.camera.name, map: known.map, numbers: known.numbers, asked: plan.asked,
      software: abilities(known), clamping: true)
    var change = SettingsChange()
    change.exposure = owed
    change.exposure.mode = nil
    // If these values cannot be set now, the camera keeps its present exposure.
    guard let back = try? planner.plan(change) else { return }
    plan.values += back.values.filter { !own.contains($0.control) }
  }

  /// Carries out a plan of the node's own. The caller holds the gate `settings`. The result is the time at which the driver was given the values
  /// (``SettingsTransaction/moment``).
  @discardableResult
  func apply(
    _ plan: SettingsPlan, zoom: Double? = nil, lamp: Double? = nil, by origin: SettingsTransaction.Origin,
    on camera: any Camera
  ) async throws(CaptureError) -> ControlMoment {
    var plan = plan
    plan.asked = asked
    var transaction = self.transaction(plan, by: origin, try await self.known(of: camera))
    (transaction.zoom, transaction.lamp) = (zoom, lamp.map { Lamp.Change(level: $0) })
    _ = try await apply(&transaction, on: camera)
    return transaction.moment
  }

  /// Makes the transaction that carries out a plan on a camera with these controls.
  func transaction(_ plan: SettingsPlan, by origin: SettingsTransaction.Origin, _ known: KnownControls)
    -> SettingsTransaction
  {
    SettingsTransaction(plan, by: origin, known: known, asked: asked, memory: context.saved.memory)
  }

  /// Finds controls by the names that people use, and checks their values.
  private func check(
    _ assignments: [NamedAssignment], among list: [ControlDescription], _ clamping: inout Clamping
  ) throws(CaptureError) -> [ControlAssignment] {
    guard !assignments.isEmpty else { return [] }
    let table = ControlTable(camera: context.camera.name, list)
    var checked: [ControlAssignment] = []
    var former: NamedAssignment?
    for assignment in assignments where assignment != former {
      former = assignment
      var control = try table.find(assignment.name)
      // An assignment before this one may free the control. That is checked when the control's turn comes.
      control.flags.remove(.inactive)
      try control.requireSettable()
      let value: ControlValue
      switch assignment.value {
      case .value(let given): value = given
      case .literal(let text): value = try control.value(of: text)
      }
      checked.append(ControlAssignment(control.id, try clamping.clamp(value, for: control)))
    }
    return checked
  }
}
