import CaptureControls
import CaptureModel

/// One change of settings, from its plan to what undoes it. Its steps are the node's own modes, the driver's controls, the lamp, the node's zoom, and
/// the bounds of frames' duration, in this order.
struct SettingsTransaction: Sendable {
  /// Who wants it. What a client sets is kept for the camera's return, and can be set no more once the node ends.
  enum Origin: Sendable {
    case client
    /// One of the node's own modes, or a zoom on its way.
    case automation
    /// A photo's light.
    case photo
    case calibration
  }
  let origin: Origin
  /// What the driver and the node's own modes do.
  let plan: SettingsPlan
  /// The calls of the driver.
  let calls: [[ControlAssignment]]

  // MARK: What no control of the driver does

  var lamp: Lamp.Change?
  /// With which photos the flash fires from then on.
  var flash: LightMode?
  /// The factor of the node's own zoom.
  var zoom: Double?
  var frameDuration: SettingsChange.FrameDuration?
  /// Somebody switches the torch: a photo that has lit it leaves it alone from then on.
  var takesTorch = false
  /// Settings that are still to come when it was carried out.
  var promises: [Setting] = []
  /// The change whose zoom is on its way with this one, and there if it is kept.
  var ramp: UInt64?

  // MARK: While it is carried out

  struct Done {
    var control: ControlDescription
    var value: ControlValue
    /// `nil`: it has no value to set back.
    var before: ControlValue?
    var moment: ControlMoment
  }
  private(set) var change: UInt64 = 0
  var known: KnownControls
  /// What the driver took, in order.
  private(set) var done: [Done] = []
  /// Of what no control does.
  var ownMoments: [ControlMoment] = []
  /// An automatic mode was set: flags and ranges of what it owns are others now.
  var isRelistDue = false
  /// Values before it that nobody had asked for yet.
  var former: ControlKeyed<ControlValue> = [:]
  /// What the driver says of what was set.
  var readings: ControlKeyed<ControlValue> = [:]

  // MARK: What undoes it

  /// How the device was. What is `nil` was not changed.
  struct Before: Sendable {
    /// What undoes the request to the node's own modes.
    var automation: SoftwareRequest?
    var lamp: Lamp?
    var flash: LightMode?
    /// What puts out a torch that was lit for a photo: that did not, once the change had taken the torch.
    var photoLight: SettingsChange?
    var zoom: Double?
  }
  var before = Before()
  let asked: SettingsMap.Asked
  let memory: CameraMemory
  private let controlsBefore: KnownControls
  /// All that it set.
  var keys: [SettingsKey] = []

  init(
    _ plan: SettingsPlan, by origin: Origin, known: KnownControls, asked: SettingsMap.Asked,
    memory: CameraMemory
  ) {
    (self.plan, self.origin, self.known, self.asked, self.memory) = (plan, origin, known, asked, memory)
    (calls, controlsBefore) = (plan.calls, known)
    // A value that seems taken over may have been freed meanwhile, by the camera or another program.
    let first = plan.switches.isEmpty ? plan.values.map(\.control) + plan.others.prefix(1).map(\.id) : []
    isRelistDue = first.contains { known[$0]?.flags.contains(.inactive) ?? false }
  }

  mutating func begin(_ change: UInt64) { self.change = change }

  /// Nothing of it is kept.
  var isTransient: Bool { origin != .client }

  var hasFrameDuration: Bool { keys.contains(.setting(.frameDuration)) }

  /// Frames have it from one moment on: no control, lamp or zoom is set.
  var isOfTheNode: Bool { calls.isEmpty && lamp == nil && zoom == nil }

  /// When all of it was given to the driver, from its first switch on: a frame that begins between a switch and its value tells nothing.
  var moment: ControlMoment {
    let moments = done.map(\.moment) + ownMoments
    let first = plan.switches.isEmpty ? moments.count - 1 : 0
    return ControlMoment(began: moments[first].began, ended: moments[moments.count - 1].ended)
  }

  /// What of it no control does, as authors are remembered.
  var ownKeys: [SettingsKey] {
    keysOfParts(
      (lamp != nil, .torchLevel), (flash != nil, .flashMode), (zoom != nil, .zoomFactor),
      (frameDuration != nil, .frameDuration), (takesTorch, .torchMode)) + plan.software.keys
  }

  /// Only these are to be undone.
  mutating func limit(to keys: Set<SettingsKey>) {
    self.keys.removeAll { !keys.contains($0) }
    done.removeAll { !keys.contains(.control($0.control.id)) }
    before.automation = before.automation?.limited(to: keys)
    if before.automation?.isEmpty == true { before.automation = nil }
    if !keys.contains(.setting(.torchLevel)) { before.lamp = nil }
    if !keys.contains(.setting(.flashMode)) { before.flash = nil }
    if !keys.contains(.setting(.torchMode)) { before.photoLight = nil }
    if !keys.contains(.setting(.zoomFactor)) { before.zoom = nil }
  }
}

// MARK: Controls

extension SettingsTransaction {
  private var settingsBefore: CameraSettings {
    controlsBefore.map.settings(controlsBefore.numbers, asked: asked)
  }

  /// A few.
  private func isSwitch(_ id: ControlID) -> Bool { plan.switches.contains { $0.control == id } }

  /// A mode was set, or a control that changes others.
  private var isModeChange: Bool {
    done.contains { isSwitch($0.control.id) || $0.control.flags.contains(.update) }
  }

  /// What frames cannot tell for sure until it is done.
  var settingsInFlight: [Setting] {
    calls.joined().flatMap { known.map.settings(of: $0.id) } + (lamp == nil ? [] : [.torchLevel])
  }

  /// Of a call what there is to do: not what is only to stay, where the camera still has it for itself.
  func due(_ call: [ControlAssignment]) -> [ControlAssignment] {
    let kept = plan.kept
    return kept.isEmpty
      ? call : call.filter { !kept.contains($0.id) || known[$0.id]?.flags.contains(.inactive) == false }
  }

  /// Throws `failedPrecondition` for a control that cannot be set now.
  func checkSettable(_ call: [ControlAssignment]) throws(CaptureError) {
    for (index, assignment) in call.enumerated() {
      guard var control = known[assignment.id] else {
        throw CaptureError(.failedPrecondition, "the camera has no control \(assignment.id) any more")
      }
      // What comes before it in the same call may free it.
      if index > 0 { control.flags.remove(.inactive) }
      try control.requireSettable()
    }
  }

  /// The driver took a call's controls. Returns what frames will show of it.
  mutating func took(_ call: [ControlAssignment], _ moments: [ControlMoment], delays: ControlDelays)
    -> [FrameTimeline.Part]
  {
    var parts: [FrameTimeline.Part] = []
    for (assignment, moment) in zip(call, moments) {
      guard let control = known[assignment.id] else { continue }
      done.append(
        Done(
          control: control, value: assignment.value,
          before: former[control.id] ?? known.numbers[control.id].map { .integer($0) }, moment: moment))
      if control.type != .button, let number = assignment.value.number { known.numbers[control.id] = number }
      if isSwitch(control.id) || control.flags.contains(.update) { isRelistDue = true }
      let setting = known.map.settings(of: control.id).first
      parts.append(
        FrameTimeline.Part(setting: setting, value: nil, moment: moment, delay: delays[control.id]))
    }
    let now = known.map.frameSettings(known.map.settings(known.numbers))
    for index in parts.indices { parts[index].take(from: now) }
    return parts
  }

  /// Controls to ask for their values before they are set: they may have to be set back.
  var idsToKeep: [ControlID] {
    calls.joined().map(\.id).filter { known[$0]?.isReadable == true && known.numbers[$0] == nil }
  }

  /// Controls to ask for what the driver made of it: all that settings use where a mode changed.
  var idsToReadBack: [ControlID] {
    var ids = isModeChange ? known.map.ids : []
    for step in done where step.control.isReadable && !ids.contains(step.control.id) {
      ids.append(step.control.id)
    }
    if done.contains(where: { $0.control.id == .autoFocusStart || $0.control.id == .autoFocusStop }) {
      for id in [ControlID.autoFocusStatus, .focusAbsolute]
      where known[id]?.isReadable == true && !ids.contains(id) {
        ids.append(id)
      }
    }
    return ids
  }

  /// Settings that changed with the last control that was set though none of their own was.
  func sideEffects(_ now: FrameSettings, delays: ControlDelays) -> [FrameTimeline.Part] {
    guard let last = done.last(where: { isSwitch($0.control.id) }) ?? done.last else { return [] }
    let own = done.compactMap { known.map.setting(of: $0.control.id) }
    // Gains of colours are a temperature too, and a gain may be an ISO; any other plain value is itself alone.
    let isTwo = done.contains { known.map.settings(of: $0.control.id).count > 1 }
    guard isModeChange || own.contains(.whiteBalanceGains) || isTwo else { return [] }
    let then = known.map.frameSettings(settingsBefore)
    // What no control said before is not the driver's.
    var changed = FrameSettings.settings.filter { then[$0] != nil && then[$0] != now[$0] }
    if then.whiteBalanceGains != now.whiteBalanceGains { changed.append(.whiteBalanceGains) }
    return changed.filter { !own.contains($0) }.map { setting in
      var part = FrameTimeline.Part(
        setting: setting, value: nil, moment: last.moment, delay: delays[last.control.id])
      part.take(from: now)
      return part
    }
  }

  /// What watchers are told: what is different, and what was set.
  func news(since told: CameraSettings?, now: CameraSettings) -> Set<SettingsKey> {
    var keys = Set((told ?? settingsBefore).differences(from: now).map(SettingsKey.setting))
    for step in done where known.map.setting(of: step.control.id) == nil && !isSwitch(step.control.id) {
      keys.insert(.control(step.control.id))
    }
    return keys
  }

  /// What it leaves in a memory of controls. Returns its keys.
  func keepControls(in memory: inout ControlMemory) -> [SettingsKey] {
    var keys: [SettingsKey] = []
    for step in plan.alreadySet {
      guard let control = known[step.control] else { continue }
      memory.note(control, step.value)
      keys.append(.control(control.id))
    }
    for step in done {
      memory.note(step.control, step.value)
      keys.append(.control(step.control.id))
    }
    for control in known.controls(of: plan.software.takenOver) {
      memory.forget(control.id)
      keys.append(.control(control.id))
    }
    return keys
  }
}

extension SettingsPlan {
  /// Some of it does something each time that it is set.
  func acts(on known: KnownControls) -> Bool {
    !buttons.isEmpty || others.contains { known[$0.id]?.keepsValue != true }
  }

  /// Whoever sets a control itself takes what it belongs to away from the software. Returns whether it is a light's mode.
  mutating func letGo(of uses: [SettingsDescription.ControlUse]) -> Bool {
    var isLight = false
    for use in uses where others.contains(where: { $0.id == use.control }) {
      switch use.setting.group {
      case "focus": software.focus = software.focus ?? .release
      case "exposure": software.exposure = software.exposure ?? .release
      case "white_balance": software.whiteBalance = software.whiteBalance ?? .release
      default: break
      }
      guard use.setting == .torchMode || use.setting == .flashMode else { continue }
      software.torch = software.torch ?? false
      isLight = true
    }
    return isLight
  }
}

extension SoftwareRequest {
  fileprivate var keys: [SettingsKey] {
    keysOfParts(
      (focus != nil, .focusMode), (exposure != nil, .exposureMode), (whiteBalance != nil, .whiteBalanceMode),
      (torch != nil, .torchMode))
  }

  /// Without what is not among them.
  fileprivate func limited(to keys: Set<SettingsKey>) -> SoftwareRequest {
    var request = self
    if !keys.contains(.setting(.focusMode)) { request.focus = nil }
    if !keys.contains(.setting(.exposureMode)) { request.exposure = nil }
    if !keys.contains(.setting(.whiteBalanceMode)) { request.whiteBalance = nil }
    if !keys.contains(.setting(.torchMode)) { request.torch = nil }
    return request
  }
}

private func keysOfParts(_ parts: (isThere: Bool, setting: Setting)...) -> [SettingsKey] {
  parts.filter(\.isThere).map { .setting($0.setting) }
}
