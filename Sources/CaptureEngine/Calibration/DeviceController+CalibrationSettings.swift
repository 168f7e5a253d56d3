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
      _ = try await setForTrial([assignment], on: camera)
    }
    // Values that automatic modes have found hold from here on.
    known = try await knownControls(of: camera)
    let ids = known.list.filter(\.isNumberToKeep).map(\.id)
    try await read(ids, into: &known, from: camera)
    _ = keep(known, of: camera)
  }

  /// Returns when the driver was given the last one. The caller has the turn.
  func setForTrial(_ assignments: [ControlAssignment], on camera: any Camera) async throws(CaptureError)
    -> ControlMoment
  {
    var plan = SettingsPlan()
    plan.asked = settingsState.asked
    plan.others = assignments
    plan.isTransient = true
    let moments = try await perform(plan, with: try await knownControls(of: camera), on: camera).moments
    return moments[moments.count - 1]
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
          _ = try await setForTrial([assignment], on: camera)
        } catch {
          let control = active.first { $0.id == assignment.id }
          note(.controlNotRestored, "'\(control?.name ?? "")' could not be set back: \(error.message)")
        }
      }
    }
  }

  /// A subscription to all frames of the camera's stream; of an idle camera a stream that can be measured.
  func subscribeForMeasuring(_ sink: MeasuringSink, holder: String) async throws(CaptureError)
    -> FrameSubscription
  {
    if let stream, !stream.hub.isIdle {
      let request = VideoRequest(encoding: stream.format.pixelFormat.isJPEG ? .jpeg : .raw)
      return try stream.hub.add(FramePlan(request, in: running(stream)), sink: sink, holder: holder)
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
