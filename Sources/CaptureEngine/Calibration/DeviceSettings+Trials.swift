import CaptureControls
import CaptureModel

/// A part of the camera that shows in pictures and is not a control of the driver, treated as if it were one.
struct PseudoControl {
  var control: ControlDescription
  var value: Int64
  /// Its entry in a description.
  var use: SettingsDescription.ControlUse

  init(
    _ control: ControlDescription, _ value: Double, of setting: Setting, _ conversion: String,
    _ delay: ControlDelay
  ) {
    (self.control, self.value) = (control, Int64(value.rounded()))
    use = SettingsDescription.ControlUse(
      setting: setting, control: control.id, name: control.name, conversion: conversion, delay: delay)
  }
}

/// The settings that a calibration changes, and how they are put back. The caller holds the gate `settings`.
extension DeviceSettings {
  /// Controls that belong to no mode, but change by themselves what has to be measured; and their values during a calibration.
  private static let offWhileMeasuring: [ControlAssignment] = [
    // It lets the frame rate vary.
    ControlAssignment(.exposureAutoPriority, .integer(0)),
    ControlAssignment(.autoHue, .integer(0)),
    ControlAssignment(.autoBrightness, .integer(0)),
  ]

  /// The values of all controls that can be set now and that keep their value.
  func settableValues(of camera: any Camera) async throws(CaptureError) -> [ControlAssignment] {
    var known = try await self.known(of: camera)
    known.relist(try await camera.controls())
    let kept = known.list.filter { $0.isNumberToKeep && $0.flags.isDisjoint(with: .inactive) }
    let values = try await controls.read(kept.map(\.id), into: &known, from: camera)
    learn(known, of: camera)
    return kept.compactMap { control in
      guard case .integer? = values[control.id] else { return nil }
      return ControlAssignment(control.id, values[control.id]!)
    }
  }

  /// Locks focus, exposure and white balance as they are.
  func endAutomaticModes(of camera: any Camera) async throws(CaptureError) {
    var known = try await self.known(of: camera)
    var (exposure, balance, focus) = (SettingsChange(), SettingsChange(), SettingsChange())
    exposure.exposure.mode =
      known.description.exposure?.modes.contains(.custom) == true ? .custom : .locked
    balance.whiteBalance.mode = .locked
    focus.focus.mode = .locked
    for change in [exposure, balance, focus] {
      var planner = SettingsPlanner(
        camera: context.camera.name, map: known.map, numbers: known.numbers, asked: asked,
        software: SoftwareAbilities(), clamping: true)
      // A camera that lacks the mode has no other mode to end.
      guard let plan = try? planner.plan(change), !plan.calls.isEmpty else { continue }
      var transaction = self.transaction(plan, by: .calibration, known)
      _ = try await apply(&transaction, on: camera)
      known = try await self.known(of: camera)
    }
    for assignment in Self.offWhileMeasuring {
      guard let control = known[assignment.id],
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled])
      else { continue }
      try await setForTrial(.trial([assignment]), on: camera)
    }
    // Values that automatic modes have found hold from here on.
    known = try await self.known(of: camera)
    let ids = known.list.filter(\.isNumberToKeep).map(\.id)
    try await controls.read(ids, into: &known, from: camera)
    learn(known, of: camera)
  }

  /// Returns when the driver got all of it, from the first switch on.
  @discardableResult
  func setForTrial(
    _ plan: SettingsPlan, zoom: Double? = nil, lamp: Double? = nil,
    by origin: SettingsTransaction.Origin = .calibration, on camera: any Camera
  )
    async throws(CaptureError) -> ControlMoment
  {
    var plan = plan
    plan.asked = asked
    var transaction = self.transaction(plan, by: origin, try await self.known(of: camera))
    (transaction.zoom, transaction.lamp) = (zoom, lamp.map { Lamp.Change(level: $0) })
    _ = try await apply(&transaction, on: camera)
    return transaction.moment
  }

  /// The witness by which the switch of a mode is measured; `nil`: no value of the mode shows or was measured. `found`: the values with which the mode
  /// ended, as far as they are known.
  func target(
    _ mode: ModeSwitch, found: SettingsMap.Numbers, on camera: any Camera, interval: FrameInterval?
  ) async throws(CaptureError) -> ModeSwitchTarget? {
    let known = try await self.known(of: camera)
    try await setForTrial(.trial(mode.control.id, to: mode.automatic, then: nil), on: camera)
    let owned = try await camera.controls()
    try await setForTrial(.trial(mode.control.id, to: mode.manual, then: nil), on: camera)
    guard let id = mode.witness(among: owned, controls.delays), let witness = known[id],
      let values = CalibrationTarget(
        witness, value: found[id], among: known.list, interval: interval)?.witnessValues
    else { return nil }
    return ModeSwitchTarget(
      mode: mode, witness: witness, witnessDelay: controls.delays[id].frames, values: values,
      end: .trial(mode.control.id, to: mode.manual, then: found[id].map { (id, $0) }))
  }

  /// The parts that show in pictures and are not controls of the driver.
  func partsBesideControls(_ known: KnownControls) -> [PseudoControl] {
    var parts: [PseudoControl] = []
    if zoom.kind(known) == .sensorCrop {
      parts.append(
        PseudoControl(
          .sensorCrop(most: Zoom.factors.maximum), zoom.factor * 1000, of: .zoomFactor,
          "width of the whole ÷ that used", controls.delays[.sensorCrop]))
    }
    if let lamp = lights.lamp(known) {
      let control = ControlDescription.lamp(hasLevel: lamp.light.hasLevel)
      parts.append(
        PseudoControl(
          control, lamp.level * Double(control.maximum), of: .torchLevel, "as it is", controls.delays[.lamp]))
    }
    return parts
  }

  /// Sets back the node's zoom and the lamp where they have changed.
  func putBack(zoom factor: Double, lampLevel: Double?, on camera: any Camera) async {
    var before = SettingsTransaction.Before()
    if zoom.factor != factor { before.zoom = factor }
    before.lamp = lights.lamp(at: lampLevel)
    guard before.zoom != nil || before.lamp != nil, context.camera.isPresent(camera) else { return }
    await revert(to: before, on: camera)
  }

  /// Sets back everything that has changed: values, then the modes that own them. Errors are reported.
  func putBack(_ saved: [ControlAssignment], on camera: any Camera) async {
    for isSwitch in [false, true, false] {
      guard context.camera.isPresent(camera), let list = try? await camera.controls() else { return }
      let active = list.filter { control in
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
          try await setForTrial(.trial([assignment]), on: camera)
        } catch {
          let control = active.first { $0.id == assignment.id }
          context.camera.note(
            .controlNotRestored, "'\(control?.name ?? "")' could not be set back: \(error.message)")
        }
      }
    }
  }
}

extension ControlDescription {
  fileprivate var isNumberToKeep: Bool {
    keepsValue && isReadable && elements == 1 && dimensions.isEmpty
      && flags.isDisjoint(with: [.readOnly, .disabled, .grabbed, .modifyLayout]) && type != .string
  }

  fileprivate var isMode: Bool { type == .boolean || type == .menu || type == .integerMenu }
}
