import Capture3A
import CaptureControls
import CaptureModel

/// Gives the camera back what it had before searches.
extension DeviceSettings {
  /// Gives the camera back what it had before a search, in turn with the changes of settings. `due` is asked when the turn comes; it returns `nil` if
  /// nothing is due any more. If the camera has the values already, nothing is set: the search may never have changed them.
  func setBack(_ due: @Sendable () -> SettingsChange?) async throws(CaptureError) -> SettingsOutcome? {
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    guard let due = due() else { return nil }
    let camera = try context.camera.required(isCleaningUp: true)
    let known = try await known(of: camera)
    saveModes(due, known)
    let change = due.withoutValuesOfModes(known)
    if change.isHad(by: reported(known)) { return nil }
    return try await applyChange(change, clamping: true, by: .automation).outcome
  }

  /// Saves the camera's own automatic modes that a change gives back, so that the camera gets them when it returns. Saves also that the node's modes
  /// in their place are off. Both are saved even while the camera refuses the modes.
  private func saveModes(_ change: SettingsChange, _ known: KnownControls) {
    guard change.hasModes else { return }
    var planner = SettingsPlanner(
      camera: context.camera.name, map: known.map, numbers: known.numbers, asked: asked, clamping: true)
    guard let plan = try? planner.planAutomation(change.modes) else { return }
    context.saved.update { memory in
      for step in plan.switches + plan.alreadySet {
        if let control = known[step.control] { memory.controls.note(control, step.value) }
      }
      if change.exposure.mode != nil { memory.exposureMode = plan.asked.exposureMode }
      memory.software?.noteGivenBack(change)
      if memory.software?.isEmpty == true { memory.software = nil }
    }
  }

  /// Sets the values that the software has found and not set yet, and those that the camera gets back from searches. It is called before the node's
  /// modes are released for a while: what the camera has then is restored afterwards. Values that the driver refuses are due again in the software.
  /// The caller holds the gate `settings`.
  func applyUnsetValues() async throws(CaptureError) {
    guard let software = automation.software else { return }
    let unset = software.takeUnsetValues()
    guard !unset.change.isEmpty else { return }
    var change = unset.change
    if let known = controls.known {
      saveModes(change, known)
      change = change.withoutValuesOfModes(known)
    }
    do throws(CaptureError) {
      _ = try await applyChange(change, clamping: true, by: .automation)
    } catch {
      for refusal in software.putBack(unset, obstacle(error)) { await tell(refusal, error) }
      throw error
    }
  }

  /// Why an attempt that failed with `error` did not set a value.
  func obstacle(_ error: CaptureError) -> SetBacks.Obstacle {
    context.camera.present == nil || error.code == .cancelled
      ? .absence : .refusal(framesCome: context.stream.active != nil)
  }

  /// Reports that a setting stays as a search has left it, unless the camera has gone or has the value by now.
  func tell(_ refusal: SetBacks.Refusal, _ error: CaptureError) async {
    guard let camera = context.camera.present else { return }
    let present = (try? await known(of: camera)).map { reported($0) }
    guard context.camera.isPresent(camera), present.map({ refusal.change.isHad(by: $0) }) != true else {
      return
    }
    context.camera.note(.controlNotRestored, refusal.text(present, error))
  }
}

extension SetBacks.Refusal {
  /// "the gain should be 16 again after a search, but is 3.2: …". `present`: the camera's settings; `nil`: nobody knows them.
  fileprivate func text(_ present: CameraSettings?, _ error: CaptureError) -> String {
    let (name, wanted, now) = change.words(present)
    let tries =
      isFinal
      ? "the camera refused it \(SetBacks.mostTries) times, and it is not tried again"
      : "the camera refuses it, and it is tried again with the next stream"
    return "\(name) should be \(wanted) again after a search"
      + (now.map { ", but is \($0)" } ?? "") + ": \(tries): \(error.message)"
  }
}

extension SettingsChange {
  /// Returns the change without values that one of its modes leaves to the camera: their controls are inactive.
  fileprivate func withoutValuesOfModes(_ known: KnownControls) -> SettingsChange {
    func isOfMode(_ settings: Set<Setting>) -> Bool {
      known.controls(of: settings).allSatisfy { $0.flags.contains(.inactive) }
    }
    var change = self
    if focus.mode != nil, isOfMode([.lensPosition]) { change.focus.lensPosition = nil }
    if exposure.mode != nil {
      if isOfMode([.exposureDuration]) { change.exposure.duration = nil }
      if isOfMode([.gain]) { change.exposure.gain = nil }
    }
    if whiteBalance.mode != nil, isOfMode([.temperature, .whiteBalanceGains]) {
      change.whiteBalance.colour = nil
    }
    return change
  }

  /// Whether these settings have all that the change sets of focus, exposure and white balance.
  fileprivate func isHad(by settings: CameraSettings) -> Bool {
    let modes = [
      focus.mode.map { $0 == settings.focus?.mode }, exposure.mode.map { $0 == settings.exposure?.mode },
      whiteBalance.mode.map { $0 == settings.whiteBalance?.mode },
    ]
    guard !modes.contains(false) else { return false }
    let numbers = [
      (Setting.lensPosition, focus.lensPosition), (.exposureDuration, exposure.duration),
      (.gain, exposure.gain),
    ]
    for case (let setting, let wanted?) in numbers {
      guard let now = settings[setting], now.provenance != .unknown, now.value.isAbout(wanted) else {
        return false
      }
    }
    let temperature = settings.whiteBalance?.temperature
    let tellsLight = temperature.map { $0.provenance < .derived } ?? false
    switch whiteBalance.colour {
    case nil: return true
    case .temperature(let light): return tellsLight && temperature?.value.isAbout(light.temperature) == true
    case .gains(let wanted):
      guard let now = settings.whiteBalance?.gains?.value else { return false }
      return now.red.isAbout(wanted.red) && now.green.isAbout(wanted.green) && now.blue.isAbout(wanted.blue)
        && (tellsLight || !whiteBalance.temperatureTellsLight)
    case .greyWorld: return false
    }
  }

  /// For a change of one setting: the name of the setting, the value that the change sets, and the present value.
  fileprivate func words(_ settings: CameraSettings?) -> (name: String, wanted: String, now: String?) {
    let (focus, exposure) = (settings?.focus, settings?.exposure)
    if let wanted = self.focus.lensPosition {
      return ("the lens position", wanted.text, focus?.lensPosition?.value.text)
    }
    if let wanted = self.exposure.duration {
      return (
        "the exposure duration", wanted.shortText + " s", exposure?.duration.map { $0.value.shortText + " s" }
      )
    }
    if let wanted = self.exposure.gain { return ("the gain", wanted.text, exposure?.gain?.value.text) }
    if let wanted = self.focus.mode {
      return ("the focus mode", wanted.rawValue, focus?.mode.rawValue)
    }
    if let wanted = self.exposure.mode {
      return ("the exposure mode", wanted.rawValue, exposure?.mode.rawValue)
    }
    if let wanted = whiteBalance.mode, whiteBalance.colour == nil {
      return ("the white balance mode", wanted.rawValue, settings?.whiteBalance?.mode.rawValue)
    }
    let name = "the white balance"
    switch whiteBalance.colour {
    case .temperature(let light):
      return (
        name, light.temperature.text + " K", settings?.whiteBalance?.temperature.map { $0.value.text + " K" }
      )
    case .gains(let gains): return (name, gains.text, settings?.whiteBalance?.gains?.value.text)
    case .greyWorld, nil: return (name, "as before", nil)
    }
  }
}

extension WhiteBalanceGains {
  fileprivate var text: String { "red \(red.text), green \(green.text), blue \(blue.text)" }
}

extension Double {
  /// The number, rounded to a thousandth.
  fileprivate var text: String { ((self * 1000).rounded() / 1000).shortText }

  /// Whether the numbers differ by no more than the way to the driver and back may change a value.
  fileprivate func isAbout(_ other: Double) -> Bool { abs(self - other) <= 1e-6 * max(abs(self), abs(other)) }
}
