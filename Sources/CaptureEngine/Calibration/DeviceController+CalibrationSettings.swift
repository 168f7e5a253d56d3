import CaptureModel

extension DeviceController {
  /// Controls that belong to no mode and yet change by themselves what is to be measured: their values while it is.
  private static let offWhileMeasuring: [ControlAssignment] = [
    // V4L2_CID_EXPOSURE_AUTO_PRIORITY: lets the frame rate vary.
    ControlAssignment(ControlID(rawValue: 0x9a_0903), .integer(0)),
    // V4L2_CID_HUE_AUTO
    ControlAssignment(ControlID(rawValue: 0x98_0919), .integer(0)),
    // V4L2_CID_AUTOBRIGHTNESS
    ControlAssignment(ControlID(rawValue: 0x98_0920), .integer(0)),
  ]

  /// The values of all controls that can be set now and keep them.
  func settableValues(of camera: any Camera) async throws(CaptureError) -> [ControlAssignment] {
    var known = try await knownControls(of: camera)
    known.relist(try await camera.controls())
    let controls = known.list.filter { $0.isNumberToKeep && $0.flags.isDisjoint(with: .inactive) }
    let values = try await read(controls.map(\.id), into: &known, from: camera)
    _ = keep(known, of: camera)
    return controls.compactMap { control in
      guard case .integer? = values[control.id] else { return nil }
      return ControlAssignment(control.id, values[control.id]!)
    }
  }

  /// Focus, exposure and white balance stay as they are. The caller has the turn.
  func endAutomaticModes(of camera: any Camera) async throws(CaptureError) {
    var known = try await knownControls(of: camera)
    let modes = known.description
    var changes: [SettingsChange] = []
    if let exposure = modes.exposure {
      var change = SettingsChange()
      change.exposure.mode = exposure.modes.contains(.custom) ? .custom : .locked
      changes.append(change)
    }
    if modes.whiteBalance != nil {
      var change = SettingsChange()
      change.whiteBalance.mode = .locked
      changes.append(change)
    }
    if modes.focus != nil {
      var change = SettingsChange()
      change.focus.mode = .locked
      changes.append(change)
    }
    for change in changes {
      var planner = SettingsPlanner(
        camera: name, map: known.map, numbers: known.numbers, asked: settingsState.asked,
        software: SoftwareAbilities(), clamping: true)
      // A camera that lacks the mode has no other to end.
      guard var plan = try? planner.plan(change), !plan.calls.isEmpty else { continue }
      plan.isTransient = true
      _ = try await perform(plan, with: known, on: camera)
      known = try await knownControls(of: camera)
    }
    for assignment in Self.offWhileMeasuring {
      guard let control = known[assignment.id],
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled])
      else { continue }
      try await setForTrial([assignment], on: camera)
    }
    // Values that automatic modes have found hold from here on.
    known = try await knownControls(of: camera)
    let ids = known.list.filter(\.isNumberToKeep).map(\.id)
    try await read(ids, into: &known, from: camera)
    _ = keep(known, of: camera)
  }

  /// Returns when the driver was given the last one. The caller has the turn.
  @discardableResult
  func setForTrial(_ assignments: [ControlAssignment], on camera: any Camera) async throws(CaptureError)
    -> ControlMoment
  {
    try await setForTrial(CalibrationStates.Trial(.trial(assignments)), on: camera)
  }

  /// As ``setForTrial(_:on:)``.
  @discardableResult
  func setForTrial(_ plan: SettingsPlan, on camera: any Camera) async throws(CaptureError) -> ControlMoment {
    try await setForTrial(CalibrationStates.Trial(plan), on: camera)
  }

  /// Returns when the driver was given all of it, from the first switch on. The caller has the turn.
  @discardableResult
  func setForTrial(_ trial: CalibrationStates.Trial, on camera: any Camera) async throws(CaptureError)
    -> ControlMoment
  {
    var plan = trial.plan
    plan.asked = settingsState.asked
    let moments = try await perform(
      plan, with: try await knownControls(of: camera), own: trial.own, on: camera
    ).moments
    // A switch and its value: a frame that begins between them tells nothing.
    let first = plan.switches.isEmpty ? moments.count - 1 : 0
    return ControlMoment(began: moments[first].began, ended: moments[moments.count - 1].ended)
  }

  /// What a switch of a mode is measured by; `nil`: nothing that shows, or that was measured. `found`: values as the mode left them, as far
  /// as that is known.
  func target(
    _ mode: ModeSwitch, found: SettingsMap.Numbers, on camera: any Camera, interval: FrameInterval?
  ) async throws(CaptureError) -> ModeSwitchTarget? {
    let known = try await knownControls(of: camera)
    try await setForTrial(.trial(mode.control.id, to: mode.automatic, then: nil), on: camera)
    let owned = try await camera.controls()
    try await setForTrial(.trial(mode.control.id, to: mode.manual, then: nil), on: camera)
    guard let id = mode.witness(among: owned, delays), let witness = known[id],
      let values = CalibrationTarget(
        witness, value: found[id], among: known.list, interval: interval)?.witnessValues
    else { return nil }
    return ModeSwitchTarget(
      mode: mode, witness: witness, witnessDelay: delays[id].frames, values: values,
      end: .trial(mode.control.id, to: mode.manual, then: found[id].map { (id, $0) }))
  }

  /// What shows in pictures and is no control of the driver, and its value.
  func partsBesideControls(_ known: KnownControls) -> [(control: ControlDescription, value: Int64)] {
    var parts: [(control: ControlDescription, value: Int64)] = []
    if ownZoomKind(known) == .sensorCrop {
      let value = Int64((settingsState.ownZoom * 1000).rounded())
      parts.append((.sensorCrop(most: Self.ownZooms.maximum), value))
    }
    if let lamp = lamp(known) {
      let control = ControlDescription.lamp(hasLevel: lamp.light.hasLevel)
      parts.append((control, Int64((lamp.level * Double(control.maximum)).rounded())))
    }
    return parts
  }

  /// What stands for those in a description.
  func usesBesideControls(_ known: KnownControls) -> [SettingsDescription.ControlUse] {
    partsBesideControls(known).map { control, _ in
      let isCrop = control.id == .sensorCrop
      return SettingsDescription.ControlUse(
        setting: isCrop ? .zoomFactor : .torchLevel, control: control.id, name: control.name,
        conversion: isCrop ? "width of the whole ÷ that used" : "as it is", delay: delays[control.id])
    }
  }

  /// The node's zoom and the lamp, where they are not as they were.
  func putBack(zoom: Double, lamp: Lamp?, on camera: any Camera) async {
    var (own, state) = (NodePart(), settingsState)
    if settingsState.ownZoom != zoom { own.zoom = zoom }
    if settingsState.lamp?.level != lamp?.level { own.lamp = Lamp.Change(level: lamp?.level ?? 0) }
    (state.ownZoom, state.lamp) = (zoom, lamp)
    guard own.zoom != nil || own.lamp != nil, self.camera === camera else { return }
    await setBack(SettingsUndo(0, of: own, before: state, memory), on: camera)
  }

  /// Sets what is not as it was: values, then the modes that own them. What cannot be set back is told.
  func putBack(_ saved: [ControlAssignment], on camera: any Camera) async {
    for isSwitch in [false, true, false] {
      guard self.camera === camera, let controls = try? await camera.controls() else { return }
      let active = controls.filter { control in
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled, .grabbed])
          && control.isMode == isSwitch
      }
      // A colour temperature sets balances too, so it goes before them.
      let due = saved.filter { assignment in active.contains { $0.id == assignment.id } }
        .sorted { a, _ in a.id == .whiteBalanceTemperature }
      guard !due.isEmpty, let values = try? await camera.values(of: due.map(\.id)) else { continue }
      var isTemperatureSet = false
      for (assignment, value) in zip(due, values) where assignment.value != value || isTemperatureSet {
        isTemperatureSet = isTemperatureSet || assignment.id == .whiteBalanceTemperature
        do throws(CaptureError) {
          try await setForTrial([assignment], on: camera)
        } catch {
          let control = active.first { $0.id == assignment.id }
          note(.controlNotRestored, "'\(control?.name ?? "")' could not be set back: \(error.message)")
        }
      }
    }
  }

  /// A subscription to all frames of the camera's stream, or its session's; of an idle camera a stream that can be measured. Throws
  /// `failedPrecondition` where its session does not run.
  func subscribeForMeasuring(_ sink: MeasuringSink, holder: String) async throws(CaptureError)
    -> FrameSubscription
  {
    if let stream, hold != nil || !stream.hub.isIdle {
      let request = VideoRequest(encoding: stream.format.pixelFormat.isJPEG ? .jpeg : .raw)
      return try stream.hub.add(FramePlan(request, in: running(stream)), sink: sink, holder: holder)
    }
    if let hold {
      throw CaptureError(
        .failedPrecondition,
        "\(name) is in the session '\(hold.session)', which does not stream: start it, and its frames are measured"
      )
    }
    return try await subscribe(VideoRequest(measuring: try await formats()), sink: sink, holder: holder)
  }
}

extension ControlDescription {
  fileprivate var isNumberToKeep: Bool {
    keepsValue && isReadable && elements == 1 && dimensions.isEmpty
      && flags.isDisjoint(with: [.readOnly, .disabled, .grabbed, .modifyLayout]) && type != .string
  }

  fileprivate var isMode: Bool { type == .boolean || type == .menu || type == .integerMenu }
}
