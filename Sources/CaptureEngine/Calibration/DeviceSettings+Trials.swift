import CaptureControls
import CaptureModel

/// The values of the node's own zoom and of its lamp, for which the driver has no control.
struct OwnValues {
  var zoom: Double
  /// `nil`: there is no lamp.
  var lampLevel: Double?
}

/// The settings that a calibration changes. The caller holds the gate `settings`.
extension DeviceSettings {
  /// The assignments that switch off controls that change pictures by themselves and belong to no mode.
  private static let offWhileMeasuring: [ControlAssignment] = [
    // Otherwise the frame rate varies.
    ControlAssignment(.exposureAutoPriority, .integer(0)),
    ControlAssignment(.autoHue, .integer(0)),
    ControlAssignment(.autoBrightness, .integer(0)),
  ]

  /// The values of all controls that can be set now and that keep their value. One that cannot be read has the value that was set last, if that is
  /// known. Throws if none of them can be read.
  func settableValues(of camera: any Camera) async throws(CaptureError) -> [ControlAssignment] {
    var known = try await self.known(of: camera)
    known.relist(try await controls.reader.list(of: camera))
    let kept = known.list.filter { $0.isNumberToKeep && $0.flags.isDisjoint(with: .inactive) }
    try await controls.read(kept.map(\.id), into: &known, from: camera, requiring: .one)
    learn(known, of: camera)
    let numbers = known.numbers
    return kept.compactMap { control in
      numbers[control.id].map { ControlAssignment(control.id, .integer($0)) }
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
      // If the mode cannot be planned, the camera lacks it, and has no other mode to end.
      guard let plan = try? planner.plan(change), !plan.calls.isEmpty else { continue }
      var transaction = self.transaction(plan, by: .calibration, known)
      _ = try await apply(&transaction, on: camera)
      known = try await self.known(of: camera)
    }
    for assignment in Self.offWhileMeasuring {
      guard let control = known[assignment.id],
        control.flags.isDisjoint(with: [.inactive, .readOnly, .disabled])
      else { continue }
      try await apply(.assigning([assignment]), by: .calibration, on: camera)
    }
    // The values that the automatic modes have found hold from here on, so they are read.
    known = try await self.known(of: camera)
    let ids = known.list.filter(\.isNumberToKeep).map(\.id)
    try await controls.read(ids, into: &known, from: camera)
    learn(known, of: camera)
  }

  /// Returns the switch of a mode, with the witness by which it is measured; `nil`: no control of the mode both shows in pictures and has a measured
  /// delay. `found`: the values with which the mode ended, as far as they are known.
  func modeSwitchTarget(
    for mode: ModeSwitch, found: SettingsMap.Numbers, on camera: any Camera, interval: FrameInterval?
  ) async throws(CaptureError) -> ModeSwitchTarget? {
    let known = try await self.known(of: camera)
    try await apply(.trial(mode.control.id, to: mode.automatic, then: nil), by: .calibration, on: camera)
    let owned = try await controls.reader.list(of: camera)
    try await apply(.trial(mode.control.id, to: mode.manual, then: nil), by: .calibration, on: camera)
    guard let id = mode.witness(among: owned, controls.delays), let witness = known[id],
      let values = CalibrationTarget(
        witness, value: found[id], among: known.list, interval: interval)?.witnessValues
    else { return nil }
    return ModeSwitchTarget(
      mode: mode, witness: witness, witnessDelay: controls.delays[id].frames, values: values,
      end: .trial(mode.control.id, to: mode.manual, then: found[id].map { (id, $0) }))
  }

  /// The parts of the camera that show in pictures and are not controls of the driver.
  func partsBesideControls(_ known: KnownControls) -> [PseudoControl] {
    var parts: [PseudoControl] = []
    if zoomCropsSensor(known) {
      parts.append(
        PseudoControl(
          .sensorCrop(most: Zoom.factors.maximum), zoom.factor * 1000, of: .zoomFactor,
          "width of the whole ÷ that used", controls.delays[.sensorCrop]))
    }
    if let lamp = lights.torchLamp(beside: known) {
      let control = ControlDescription.lamp(steps: lamp.light.steps)
      parts.append(
        PseudoControl(
          control, lamp.level * Double(control.maximum), of: .torchLevel, "as it is", controls.delays[.lamp]))
    }
    return parts
  }

  /// Whether the driver crops the sensor for the zoom.
  func zoomCropsSensor(_ known: KnownControls) -> Bool { zoom.kind(known) == .sensorCrop }

  /// The present values that are the node's own: those of its zoom and its lamp.
  var ownValues: OwnValues { OwnValues(zoom: zoom.factor, lampLevel: lights.lampLevel) }

  /// Returns how to set the node's zoom and its lamp back to these values; `nil`: both have them.
  func ownPartsToRevert(to values: OwnValues) -> SettingsTransaction.Before? {
    var before = SettingsTransaction.Before()
    if zoom.factor != values.zoom { before.zoom = values.zoom }
    before.lamp = lights.lamp(at: values.lampLevel)
    return before.zoom == nil && before.lamp == nil ? nil : before
  }
}

extension ControlDescription {
  fileprivate var isNumberToKeep: Bool {
    keepsValue && isReadable && elements == 1 && dimensions.isEmpty
      && flags.isDisjoint(with: [.readOnly, .disabled, .grabbed, .modifyLayout]) && type != .string
  }
}
