import CaptureControls
import CaptureModel
import CaptureSystem

/// Measures, from pixels, how many frames pass between a change of a control and the first frame that has it.
public final class DeviceCalibration {
  private let context: DeviceContext
  private let settings: DeviceSettings

  init(_ context: DeviceContext, _ settings: DeviceSettings) {
    (self.context, self.settings) = (context, settings)
  }

  /// Measures the named controls, or without names all that usually show in pictures. The node uses the results from then on, and keeps them.
  ///
  /// It takes some seconds per control, and at most some 600 frames (twice as many for controls that take time). Other changes of the camera, and
  /// photos with flash, wait for its end. It uses the camera's own stream if one runs, and otherwise starts one. Everything is reverted afterwards,
  /// also when the task is cancelled. `progress` must not wait. Throws `notFound` and `failedPrecondition` for controls that do not exist or cannot
  /// be set, `failedPrecondition` where nothing that is set shows in the picture, and `unavailable` where no frames come or the disk could not be
  /// written.
  public func calibrate(
    _ names: [String] = [], on device: isolated Device, holder: String = "a calibration",
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    try await calibrate(names, on: device, through: FrameMeasurer(holder: holder), progress: progress)
  }

  func calibrate(
    _ names: [String], on device: isolated Device, through measurer: FrameMeasurer,
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    let camera = try context.camera.required()
    let request = VideoRequest(measuring: try await context.camera.formats())
    measurer.pause()
    try await device.join(measurer, asking: request)
    let result: Result<Void, CaptureError>
    do throws(CaptureError) {
      // The light of a photo goes out first. The stream was joined before, because a photo of an idle camera keeps others from joining, and may
      // itself wait for these gates.
      try await context.gates.flash.enter()
      defer { context.gates.flash.leave() }
      try await context.gates.settings.enter()
      defer { context.gates.settings.leave() }
      let before = context.saved.memory.delays
      try await calibrate(names, of: camera, through: measurer, progress: progress).get()
      try await keepDelays(orElse: before)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await device.leave(measurer)
    try result.get()
  }

  /// Returns once the measured delays would survive a power cut. If the disk cannot be written, the former delays hold again. The caller holds the
  /// gate `settings`, so that no other calibration changes them meanwhile.
  private func keepDelays(orElse before: [ControlID: MeasuredDelay]) async throws(CaptureError) {
    do throws(CaptureError) {
      try await context.saved.flush()
    } catch {
      for control in Set(before.keys).union(context.saved.memory.delays.keys) {
        settings.setDelay(before[control], of: control)
      }
      throw error.prefixed("the measured delays were not kept")
    }
  }

  /// The caller holds the gate `settings`.
  private func calibrate(
    _ names: [String], of camera: any Camera, through measurer: FrameMeasurer,
    progress: @Sendable (CalibrationProgress) -> Void
  ) async -> Result<Void, CaptureError> {
    let asked = settings.asked
    let ownValues = settings.ownValues
    var controls: [ControlAssignment] = []
    var software: SoftwareRequest?
    let result: Result<Void, CaptureError>
    do throws(CaptureError) {
      try await settings.applyUnsetValues()
      controls = try await settings.settableValues(of: camera)
      software = try await settings.releaseAutomation()
      try await settings.endAutomaticModes(of: camera)
      try await measure(names, of: camera, through: measurer, start: controls, progress: progress)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    let present = context.camera.isPresent(camera)
    var before = (present ? settings.ownPartsToRevert(to: ownValues) : nil) ?? .init()
    (before.controls, before.automation) = (controls, software)
    await settings.revert(to: before, readsAgain: false, on: camera)
    settings.noteAsked(asked)
    if context.camera.isPresent(camera) {
      await settings.readAgain(of: camera)
    }
    return result
  }

  private func measure(
    _ names: [String], of camera: any Camera, through measurer: FrameMeasurer, start: [ControlAssignment],
    progress: @Sendable (CalibrationProgress) -> Void
  ) async throws(CaptureError) {
    let interval = context.stream.active?.format.interval
    let ownValues = settings.ownValues
    let known = try await settings.known(of: camera)
    let (targets, modes) = try self.targets(names, among: known, interval: interval)
    let steps = targets.count + modes.count
    var calibration = Calibration(
      of: camera, named: context.camera.name, settings, measurer, interval: interval)
    measurer.resume()
    try await calibration.begin()
    var isAnyVisible = false
    var refusedCrop: CaptureError?
    for (index, target) in targets.enumerated() {
      let name = target.control.name
      let framesBefore = calibration.framesTaken
      let found: CalibrationProgress.Result
      do throws(CaptureError) {
        found = try await calibration.measure(target) { text in
          progress(CalibrationProgress(step: index + 1, steps: steps, text: "\(name): \(text)"))
        }
      } catch {
        // A driver may refuse to change its crop while it streams. The other controls are measured all the same.
        guard names.isEmpty, target.control.id == .sensorCrop, error.details?.reason == .cameraBusy else {
          throw error
        }
        refusedCrop = error
        progress(CalibrationProgress(step: index + 1, steps: steps, text: "\(name): \(error.message)"))
        continue
      }
      // This control is set back before the next measurement. If the camera refuses that, the calibration ends; `revert` would go on.
      let touched = [target.control.id] + target.requirements.map(\.id)
      for assignment in start where touched.contains(assignment.id) {
        try await settings.apply(.assigning([assignment]), by: .restore, on: camera)
      }
      if context.camera.isPresent(camera), let ownParts = settings.ownPartsToRevert(to: ownValues) {
        await settings.revert(to: ownParts, on: camera)
      }
      isAnyVisible = isAnyVisible || found.isVisible
      // If the driver has refused to crop, its delay was not measured: the node has cut the frames.
      let isByDriver = target.control.id != .sensorCrop || settings.zoomCropsSensor(known)
      if let delay = found.delay, isByDriver { settings.setDelay(delay, of: target.control.id) }
      let text = "\(name): \(found.text(after: calibration.framesTaken - framesBefore))"
      progress(CalibrationProgress(step: index + 1, steps: steps, text: text, result: found))
    }
    // The modes come last, since the delays of the other controls are used to measure them.
    for (index, mode) in modes.enumerated() {
      let (name, step, frames) = (mode.control.name, targets.count + index + 1, calibration.framesTaken)
      var found = CalibrationProgress.Result(
        id: mode.control.id, name: name, isVisible: false, delay: nil)
      var text = "none of its settings was measured, so it cannot be measured"
      if let target = try await settings.modeSwitchTarget(
        for: mode, found: known.numbers, on: camera, interval: interval)
      {
        found = try await calibration.measure(target) { text in
          progress(CalibrationProgress(step: step, steps: steps, text: "\(name): \(text)"))
        }
        text = found.text(after: calibration.framesTaken - frames)
      }
      if let delay = found.delay { settings.setDelay(delay, of: mode.control.id) }
      progress(CalibrationProgress(step: step, steps: steps, text: "\(name): \(text)", result: found))
      isAnyVisible = isAnyVisible || found.isVisible
    }
    guard isAnyVisible || targets.isEmpty else {
      if let refusedCrop { throw refusedCrop }
      throw CaptureError(
        .failedPrecondition,
        "nothing that was set shows in the picture of \(context.camera.name), so no delay was measured: it needs a scene with light and detail that keeps still",
        .init(.sceneUnsuitable)
      )
    }
  }

  private func targets(_ names: [String], among known: KnownControls, interval: FrameInterval?)
    throws(CaptureError) -> ([CalibrationTarget], [ModeSwitch])
  {
    let modes = known.map.modeSwitches
    let beside = settings.partsBesideControls(known)
    guard !names.isEmpty else {
      let usual = CalibrationTarget.usual(known.list, numbers: known.numbers, interval: interval)
      let others = beside.compactMap {
        CalibrationTarget($0.control, value: $0.value, among: [], interval: interval)
      }
      return (usual + others, modes)
    }
    let table = ControlTable(camera: context.camera.name, known.list + beside.map(\.control))
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
          .failedPrecondition, "\(control.name) cannot be measured: it has no two values to set to and fro",
          .init(.notSupported, field: "names", asked: .text(control.name)))
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
      return "shows, but not always after the same number of frames (\(count) frames): not measured"
    }
    let frames =
      switch delay.frames {
      case 0: "the first frame after a change has it"
      case 1: "the second frame after a change has it"
      default: "the first frame after a change and \(delay.frames) more"
      }
    return "\(frames) (\(delay.agreeing) of \(delay.trials) trials)"
  }
}
