import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Measures, from pixels, how many frames pass between a change of a control and the first frame that has it: of the controls named, or of
  /// all that usually show. What was measured holds from then on (``delays``), and is kept.
  ///
  /// Takes some seconds a control, at most some 600 frames (of what moves twice as many); other changes of the camera, and photos with flash, wait
  /// for its end. The camera's own stream is looked at if it runs, else one is started. Everything is set back afterwards, also when the task is
  /// cancelled. `progress` must not wait.
  /// Throws `notFound` and `failedPrecondition` for controls that there are not or cannot be set, `failedPrecondition` where nothing that is set shows
  /// in the picture, `unavailable` where no frames come, or the disk could not be written.
  public func calibrate(
    _ names: [String] = [], holder: String = "a calibration",
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    try await calibrate(names, through: MeasuringSink(), holder: holder, progress: progress)
  }

  func calibrate(
    _ names: [String], through sink: MeasuringSink, holder: String,
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    let camera = try presentCamera()
    let subscription = try await subscribeForMeasuring(sink, holder: holder)
    let watch = Task { await sink.watch(subscription, camera: name) }
    let result: Result<Void, CaptureError>
    do throws(CaptureError) {
      // A photo's light goes out first. A photo of an idle camera keeps it from being subscribed to: it waits for nothing from here on.
      try await flashTurn.enter()
      defer { flashTurn.leave() }
      try await settingTurn.enter()
      defer { settingTurn.leave() }
      result = await calibrate(names, of: camera, through: sink, progress: progress)
    } catch {
      result = .failure(error)
    }
    watch.cancel()
    await unsubscribe(subscription)
    try result.get()
    try await store.flush()
  }

  /// The caller has the turn.
  private func calibrate(
    _ names: [String], of camera: any Camera, through sink: MeasuringSink,
    progress: @Sendable (CalibrationProgress) -> Void
  ) async -> Result<Void, CaptureError> {
    let asked = settingsState.asked
    let (zoom, lamp) = (settingsState.ownZoom, settingsState.lamp)
    var software: SoftwareRequest?
    let result: Result<Void, CaptureError>
    var before: [ControlAssignment] = []
    do throws(CaptureError) {
      before = try await settableValues(of: camera)
      software = try await settingsState.software?.set(.release)
      try await endAutomaticModes(of: camera)
      try await measure(names, of: camera, through: sink, before: before, progress: progress)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    // Not cancelled with the call.
    let (saved, undo) = (before, software)
    await Task {
      await self.putBack(zoom: zoom, lamp: lamp, on: camera)
      await self.putBack(saved, on: camera)
      if let undo { _ = try? await self.settingsState.software?.set(undo) }
    }.value
    settingsState.asked = asked
    if self.camera === camera {
      settingsState.known = nil
      _ = try? await knownControls(of: camera)
    }
    return result
  }

  private func measure(
    _ names: [String], of camera: any Camera, through sink: MeasuringSink, before: [ControlAssignment],
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    let interval = stream?.format.interval
    let (zoom, lamp) = (settingsState.ownZoom, settingsState.lamp)
    let known = try await knownControls(of: camera)
    let (targets, modes) = try self.targets(names, among: known, interval: interval)
    let steps = targets.count + modes.count
    var calibration = Calibration(camera, sink, interval: interval)
    try await calibration.begin(self)
    var isAnyVisible = false
    for (index, target) in targets.enumerated() {
      let name = target.control.name
      let before = (values: before, frames: calibration.passed)
      let found = try await calibration.measure(target, self) { text in
        progress(CalibrationProgress(step: index + 1, steps: steps, text: "\(name): \(text)"))
      }
      // The next one begins with this one as it was.
      let touched = [target.control.id] + target.requirements.map(\.id)
      for assignment in before.values where touched.contains(assignment.id) {
        try await setForTrial([assignment], on: camera)
      }
      await putBack(zoom: zoom, lamp: lamp, on: camera)
      isAnyVisible = isAnyVisible || found.isVisible
      // A driver that would not crop while it streams has the node cut from there on.
      let isDriven = target.control.id != .sensorCrop || ownZoomKind(known) == .sensorCrop
      if let delay = found.delay, isDriven { setDelay(delay, of: target.control.id) }
      let text = "\(name): \(found.text(after: calibration.passed - before.frames))"
      progress(CalibrationProgress(step: index + 1, steps: steps, text: text, result: found))
    }
    // Last: they are measured by what the others were found to be.
    for (index, mode) in modes.enumerated() {
      let (name, step, frames) = (mode.control.name, targets.count + index + 1, calibration.passed)
      var found = CalibrationProgress.Result(
        id: mode.control.id, name: name, isVisible: false, delay: nil)
      var text = "nothing that it takes over was measured, so it cannot be"
      if let target = try await self.target(
        mode, found: known.numbers, on: camera, interval: interval)
      {
        found = try await calibration.measure(target, self) { text in
          progress(CalibrationProgress(step: step, steps: steps, text: "\(name): \(text)"))
        }
        text = found.text(after: calibration.passed - frames)
      }
      if let delay = found.delay { setDelay(delay, of: mode.control.id) }
      progress(CalibrationProgress(step: step, steps: steps, text: "\(name): \(text)", result: found))
      isAnyVisible = isAnyVisible || found.isVisible
    }
    guard isAnyVisible || targets.isEmpty else {
      throw CaptureError(
        .failedPrecondition,
        "nothing that was set shows in the picture of \(self.name), so no delay was measured: it needs a scene with light and detail that keeps still"
      )
    }
  }

  private func targets(_ names: [String], among known: KnownControls, interval: FrameInterval?)
    throws(CaptureError) -> ([CalibrationTarget], [ModeSwitch])
  {
    let modes = known.map.modeSwitches
    let beside = partsBesideControls(known)
    guard !names.isEmpty else {
      let usual = CalibrationTarget.usual(known.list, numbers: known.numbers, interval: interval)
      let others = beside.compactMap {
        CalibrationTarget($0.control, value: $0.value, among: [], interval: interval)
      }
      return (usual + others, modes)
    }
    let table = ControlTable(camera: name, known.list + beside.map(\.control))
    var targets: [CalibrationTarget] = []
    var switches: [ModeSwitch] = []
    for name in names {
      let control = try table.find(name)
      if let mode = modes.first(where: { $0.control.id == control.id }) {
        if !switches.contains(mode) { switches.append(mode) }
        continue
      }
      if targets.contains(where: { $0.control.id == control.id }) { continue }
      guard
        let target = CalibrationTarget(
          control,
          value: known.numbers[control.id] ?? beside.first { $0.control.id == control.id }?.value,
          among: known.list, interval: interval)
      else {
        try control.requireSettable()
        throw CaptureError(
          .failedPrecondition, "\(control.name) cannot be measured: it has no two values to set to and fro")
      }
      targets.append(target)
    }
    return (targets, switches)
  }
}

extension CalibrationProgress.Result {
  fileprivate func text(after count: Int) -> String {
    guard isVisible else { return "no change seen in the picture (\(count) frames): given up" }
    guard let delay else {
      return "shows, but now in this frame, now in that (\(count) frames): not measured"
    }
    let frames =
      switch delay.frames {
      case 0: "the first frame after a change has it"
      case 1: "the frame after the first one after a change has it"
      default: "the first frame after a change and \(delay.frames) more"
      }
    return "\(frames) (\(delay.agreeing) of \(delay.trials) trials)"
  }
}
