import CaptureControls
import CaptureModel

/// One change of settings, from its plan to its reversal. Its steps are the node's own modes, the driver's controls, the lamp, the node's zoom, and
/// the bounds of frames' duration, in this order.
struct SettingsTransaction: Sendable {
  /// Who wants the change. What a client sets is kept, and set again when the camera returns. Once the node ends, clients can set nothing more.
  enum Origin: Sendable {
    case client
    /// One of the node's own modes, or a step of a zoom ramp.
    case automation
    /// What a photo needs: its light, a lock, a step of a bracket.
    case photo
    case calibration
    /// Sets back a value that a photo, a calibration or a restart of the stream has changed.
    case restore
  }
  let origin: Origin
  /// The driver's controls and the node's own modes that are set.
  let plan: SettingsPlan
  /// The assignments for the driver. Each list is one call.
  let calls: [[ControlAssignment]]

  // MARK: Steps without a control of the driver

  var lamp: Lamp.Change?
  /// The flash mode after the transaction: for which photos the flash fires.
  var flash: LightMode?
  /// The factor of the node's own zoom.
  var zoom: Double?
  var frameDuration: SettingsChange.FrameDuration?
  /// Whether the transaction sets the torch. If so, a photo that has lit the torch leaves it alone from then on.
  var setsTorch = false
  /// Settings that the camera gets only some time after the transaction's steps, such as the target of a ramp.
  var promises: [Setting] = []
  /// For a step of a ramp: the change that began the ramp. Only the last step is saved, as a client's change.
  var ramp: UInt64?

  // MARK: While it is carried out

  struct Done {
    var control: ControlDescription
    var value: ControlValue
    /// The former values of the controls that the assignment has changed, as far as they are known. They are set back in reverse order.
    var before: [ControlReading]
    var moment: ControlMoment
  }
  /// The number of the change; 0: the transaction has not begun.
  private(set) var change: UInt64 = 0
  var known: KnownControls
  /// The assignments that the driver took, in order.
  private(set) var done: [Done] = []
  /// When the lamp and the node's zoom were set.
  var ownMoments: [ControlMoment] = []
  /// Whether the controls have to be listed again, since a mode was set that changes the flags and ranges of the controls that it owns.
  var isRelistDue = false
  /// The values that were read before the change, since they were not known.
  var readBefore: ControlKeyed<ControlValue> = [:]
  /// The values that the driver reports after the change.
  var readings: ControlKeyed<ControlValue> = [:]

  // MARK: How to revert it

  /// How the device was before. A part that is `nil` was not changed.
  struct Before: Sendable {
    /// The request that sets the node's own modes back.
    var automation: SoftwareRequest?
    var lamp: Lamp?
    var flash: LightMode?
    /// The light of a photo, which a revert switches off. When a photo ends, it reverts this light and nothing else. If a client's transaction sets
    /// the torch before that (`setsTorch`), the photo leaves the light as it is, and a revert of that transaction switches it off.
    var photoLight: PhotoLight?
    var zoom: Double?
    /// The former values of the controls that a calibration or photos may have changed.
    var controls: [ControlAssignment] = []
    /// The former values of the controls in a call that the driver has not answered: it may still carry the call out.
    var unanswered: [ControlAssignment] = []
    /// The former values of the controls that a call has set before it failed, and that it could not set back. The list begins with the former gains,
    /// if a temperature in the call may have changed them.
    var unrestored: [ControlReading] = []
  }
  var before = Before()
  /// The part of clients' earlier requests that the camera's controls do not show.
  let asked: SettingsMap.Asked
  /// The memory before the change.
  let memory: CameraMemory
  private let controlsBefore: KnownControls
  /// The keys of all that it set.
  var keys: [SettingsKey] = []

  init(
    _ plan: SettingsPlan, by origin: Origin, known: KnownControls, asked: SettingsMap.Asked,
    memory: CameraMemory
  ) {
    (self.plan, self.origin, self.known, self.asked, self.memory) = (plan, origin, known, asked, memory)
    (calls, controlsBefore) = (plan.calls, known)
    // The controls are listed again if an automatic mode seems to own the first values to set: the camera or another program may have freed them
    // meanwhile.
    let first = plan.switches.isEmpty ? plan.values.map(\.control) + plan.others.prefix(1).map(\.id) : []
    isRelistDue = first.contains { known[$0]?.flags.contains(.inactive) ?? false }
  }

  mutating func begin(_ change: UInt64) { self.change = change }

  /// Whether the values are not saved. Only the values of a client's transaction are.
  var isTransient: Bool { origin != .client }

  /// Whether the transaction is refused while too many changes wait for their first frame. Values are always set back, and the node's own modes and
  /// ramps make few changes without frames.
  var needsRoom: Bool {
    switch origin {
    case .client, .photo, .calibration: true
    case .automation, .restore: false
    }
  }

  /// Whether its values are only borrowed: whoever sets them sets the former ones back, and so has to know them.
  var isBorrowing: Bool {
    switch origin {
    case .photo, .calibration: true
    case .client, .automation, .restore: false
    }
  }

  var hasFrameDuration: Bool { keys.contains(.setting(.frameDuration)) }

  var setsWhatTellsLight: Bool { keys.contains { $0.mayTellLight } }

  /// Whether the transaction sets no control, lamp or zoom. Frames have such a change from the moment at which it is made.
  var setsNothingOnTheCamera: Bool { calls.isEmpty && lamp == nil && zoom == nil }

  /// The time from the first switch of a mode to the last value: nobody knows the settings of a frame that begins within it. Without switches, the
  /// time of the last value.
  var moment: ControlMoment {
    let moments = done.map(\.moment) + ownMoments
    let first = plan.switches.isEmpty ? moments.count - 1 : 0
    return ControlMoment(began: moments[first].began, ended: moments[moments.count - 1].ended)
  }

  /// The keys of all that the transaction sets besides the driver's controls: the lamp, the flash, the zoom, the frame duration, the torch and the
  /// node's own modes.
  var ownKeys: [SettingsKey] {
    keysOfParts(
      (lamp != nil, .torchLevel), (flash != nil, .flashMode), (zoom != nil, .zoomFactor),
      (frameDuration != nil, .frameDuration), (setsTorch, .torchMode)) + plan.software.keys
  }

  /// Leaves only these keys to be reverted.
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
  private var settingsBefore: CameraSettings { controlsBefore.settings(asked: asked) }

  /// Whether the plan sets this control as the switch of a mode. Plans have few switches.
  private func isSwitch(_ id: ControlID) -> Bool { plan.switches.contains { $0.control == id } }

  /// Whether it has set a mode, or a control that changes others.
  private var isModeChange: Bool {
    done.contains { isSwitch($0.control.id) || $0.control.flags.contains(.update) }
  }

  /// The settings whose values nobody knows for sure until the transaction is done.
  var settingsInFlight: [Setting] {
    calls.joined().flatMap { known.map.settings(of: $0.id) } + (lamp == nil ? [] : [.torchLevel])
  }

  /// Returns the assignments of a call that are still necessary. One that only keeps a value (`plan.kept`) is left out while an automatic mode owns
  /// the value.
  func due(_ call: [ControlAssignment]) -> [ControlAssignment] {
    let kept = plan.kept
    return kept.isEmpty
      ? call : call.filter { !kept.contains($0.id) || known[$0.id]?.flags.contains(.inactive) == false }
  }

  /// Throws `failedPrecondition` for a control that cannot be set now.
  func checkSettable(_ call: [ControlAssignment]) throws(CaptureError) {
    for (index, assignment) in call.enumerated() {
      guard var control = known[assignment.id] else {
        throw CaptureError(
          .failedPrecondition, "the camera has no control \(assignment.id) any more",
          .init(.notSupported, asked: .text("\(assignment.id)")))
      }
      // An assignment before this one in the same call may free the control.
      if index > 0 { control.flags.remove(.inactive) }
      try control.requireSettable()
    }
  }

  /// Notes that a call to the driver begins. ``noteDone(_:_:delays:)`` notes its answer.
  mutating func noteBegun(_ call: [ControlAssignment]) {
    before.unanswered = call.compactMap { known[$0.id] }.flatMap { readingsBefore($0).map(\.assignment) }
  }

  /// Notes what the camera still has of a call that has failed with `error`.
  mutating func noteFailure(of call: [ControlAssignment], _ error: CaptureError) {
    // If the backend has set a temperature back, the camera has the gains of that temperature, so the former gains have to be set too. The last
    // assignment of a failed call has set nothing.
    let gains = call.dropLast().compactMap { known[$0.id] }.flatMap(gainsBefore)
    let unrestored = error.unrestored.compactMap { assignment in
      known[assignment.id].map { ControlReading(control: $0, value: assignment.value) }
    }
    before.unrestored = gains + unrestored
  }

  /// The known values from before a step that sets this control. The control's own value is the last of them, and so is set back first.
  private func readingsBefore(_ control: ControlDescription) -> [ControlReading] {
    gainsBefore(control) + valuesBefore(of: [control])
  }

  /// The gains from before a step that sets the temperature: on many cameras this sets the gains too. If the temperature described the light, the
  /// result is empty: setting the temperature back brings its gains back.
  private func gainsBefore(_ control: ControlDescription) -> [ControlReading] {
    guard control.id == .whiteBalanceTemperature, asked.gainsWereSetLast else { return [] }
    return valuesBefore(
      of: [ControlID.redBalance, .blueBalance].compactMap { known[$0] }.filter {
        $0.flags.isDisjoint(with: [.inactive, .readOnly, .disabled, .grabbed])
      })
  }

  private func valuesBefore(of controls: [ControlDescription]) -> [ControlReading] {
    controls.compactMap { control in
      valueBefore(of: control).map { ControlReading(control: control, value: $0) }
    }
  }

  /// The former values of the controls that the steps have changed, in the order of the steps.
  var valuesBefore: [ControlAssignment] { done.flatMap(\.before).map(\.assignment) }

  private func valueBefore(of control: ControlDescription) -> ControlValue? {
    readBefore[control.id] ?? known.numbers[control.id].map { .integer($0) }
  }

  /// Notes that the driver took a call's controls. Returns the parts that frames will show.
  mutating func noteDone(_ call: [ControlAssignment], _ moments: [ControlMoment], delays: ControlDelays)
    -> [FrameTimeline.Part]
  {
    before.unanswered = []
    var parts: [FrameTimeline.Part] = []
    for (assignment, moment) in zip(call, moments) {
      guard let control = known[assignment.id] else { continue }
      done.append(
        Done(control: control, value: assignment.value, before: readingsBefore(control), moment: moment))
      if control.type != .button, let number = assignment.value.number { known.noteSet(control.id, number) }
      if isSwitch(control.id) || control.flags.contains(.update) { isRelistDue = true }
      let setting = known.map.settings(of: control.id).first
      parts.append(
        FrameTimeline.Part(setting: setting, value: nil, moment: moment, delay: delays[control.id]))
    }
    let now = known.map.frameSettings(known.map.settings(known.numbers))
    for index in parts.indices { parts[index].copyValue(from: now) }
    return parts
  }

  /// The controls to read before they are set, since they may have to be reverted.
  var idsToReadBefore: [ControlID] {
    calls.joined().map(\.id).filter { known[$0]?.isReadable == true && known.numbers[$0] == nil }
  }

  /// The controls that it has set and that cannot be set back, since their former values could not be read. A call that fails names its own.
  var controlsUnreadBefore: [ControlDescription] {
    done.filter { step in
      step.control.type != .button && !step.before.contains { $0.control.id == step.control.id }
    }.map(\.control)
  }

  /// The controls to read afterwards. If a mode changed, these are all that settings use.
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

  /// Returns settings that have changed although none of their controls was set. They count as changed by the last switch of a mode, or else by the
  /// control that was set last.
  func sideEffects(_ now: FrameSettings, delays: ControlDelays) -> [FrameTimeline.Part] {
    guard let last = done.last(where: { isSwitch($0.control.id) }) ?? done.last else { return [] }
    let own = done.compactMap { known.map.setting(of: $0.control.id) }
    // White balance gains determine a temperature too, and a gain may determine an ISO. Any other control determines one setting.
    let hasControlOfTwoSettings = done.contains { known.map.settings(of: $0.control.id).count > 1 }
    guard isModeChange || own.contains(.whiteBalanceGains) || hasControlOfTwoSettings else { return [] }
    let then = known.map.frameSettings(settingsBefore)
    // A setting that no control showed before is not the driver's.
    var changed = FrameSettings.settings.filter { then[$0] != nil && then[$0] != now[$0] }
    if then.whiteBalanceGains != now.whiteBalanceGains { changed.append(.whiteBalanceGains) }
    return changed.filter { !own.contains($0) }.map { setting in
      var part = FrameTimeline.Part(
        setting: setting, value: nil, moment: last.moment, delay: delays[last.control.id])
      part.copyValue(from: now)
      return part
    }
  }

  /// Returns what watchers hear of: settings that differ, and controls that were set.
  func news(since reported: CameraSettings?, now: CameraSettings) -> Set<SettingsKey> {
    var keys = Set((reported ?? settingsBefore).differences(from: now).map(SettingsKey.setting))
    for step in done where known.map.setting(of: step.control.id) == nil && !isSwitch(step.control.id) {
      keys.insert(.control(step.control.id))
    }
    return keys
  }

  /// Writes the controls that it has set into a memory. Returns their keys.
  func saveControls(in memory: inout ControlMemory) -> [SettingsKey] {
    var keys: [SettingsKey] = []
    for light in plan.leftOff {
      guard let control = known[light.control],
        memory.entries.contains(where: { $0.id == control.id && $0.value == light.on })
      else { continue }
      memory.note(control, light.off)
      keys.append(.control(control.id))
    }
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
  /// The plan that sets these controls in one call, and nothing else.
  static func assigning(_ assignments: [ControlAssignment]) -> SettingsPlan {
    var plan = SettingsPlan()
    plan.others = assignments
    return plan
  }

  /// Whether one of its controls acts each time that it is set, as a button does.
  func hasActions(among known: KnownControls) -> Bool {
    !buttons.isEmpty || others.contains { known[$0.id]?.keepsValue != true }
  }

  /// Makes the plan end each of the node's own modes whose value a control in `others` sets, as any value that is set by hand does. Returns whether
  /// one of the controls is the mode of a light.
  mutating func releaseModes(of uses: [SettingsDescription.ControlUse]) -> Bool {
    var changesLight = false
    for use in uses
    where !use.setting.row.isFreeOfMode && others.contains(where: { $0.id == use.control }) {
      switch use.setting.settingGroup {
      case .focus: software.focus = software.focus ?? .release
      case .exposure: software.exposure = software.exposure ?? .release
      case .whiteBalance: software.whiteBalance = software.whiteBalance ?? .release
      case .torch, .flash:
        guard use.setting == .torchMode || use.setting == .flashMode else { continue }
        software.torch = software.torch ?? false
        changesLight = true
      // These have no mode.
      case .zoom, .frameDuration, .flip: break
      }
    }
    return changesLight
  }
}

extension SoftwareRequest {
  fileprivate var keys: [SettingsKey] {
    keysOfParts(
      (focus != nil, .focusMode), (exposure != nil, .exposureMode), (whiteBalance != nil, .whiteBalanceMode),
      (torch != nil, .torchMode))
  }

  /// Returns the request without the parts whose keys are not among these.
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
