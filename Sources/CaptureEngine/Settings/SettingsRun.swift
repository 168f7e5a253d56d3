import CaptureModel

/// A plan while it is carried out: what was set, when, and what was there before.
struct SettingsRun {
  struct Done {
    var control: ControlDescription
    var value: ControlValue
    /// `nil`: it has no value to set back.
    var before: ControlValue?
    var moment: ControlMoment
  }
  let calls: [[ControlAssignment]]
  var known: KnownControls
  private(set) var done: [Done] = []
  /// An automatic mode was set: flags and ranges of what it owns are others now.
  var isRelistDue = false
  private let knownBefore: (controls: KnownControls, asked: SettingsMap.Asked)
  /// A few.
  private let switches: [ControlID]
  private let kept: [ControlID]
  /// What the driver says of what was set.
  var readings: ControlKeyed<ControlValue> = [:]
  /// Values before the run that nobody had asked for yet.
  var former: ControlKeyed<ControlValue> = [:]

  init(_ plan: SettingsPlan, known: KnownControls, asked: SettingsMap.Asked) {
    calls = plan.calls
    switches = plan.switches.map(\.control)
    kept = plan.kept
    self.known = known
    knownBefore = (known, asked)
    // A value that seems taken over may have been freed meanwhile, by the camera or another program.
    isRelistDue =
      plan.switches.isEmpty
      && plan.values.contains { known[$0.control]?.flags.contains(.inactive) ?? false }
  }

  private var before: CameraSettings {
    knownBefore.controls.map.settings(knownBefore.controls.numbers, asked: knownBefore.asked)
  }

  /// A mode was set, or a control that changes others.
  private var isModeChange: Bool {
    done.contains { switches.contains($0.control.id) || $0.control.flags.contains(.update) }
  }

  /// What frames cannot tell for sure until it is done.
  var settingsInFlight: [Setting] {
    calls.joined().flatMap { known.map.settings(of: $0.id) }
  }

  /// Of a call what there is to do: not what is only to stay, where the camera still has it for itself.
  func due(_ call: [ControlAssignment]) -> [ControlAssignment] {
    kept.isEmpty
      ? call
      : call.filter { !kept.contains($0.id) || known[$0.id]?.flags.contains(.inactive) == false }
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
      if switches.contains(control.id) || control.flags.contains(.update) { isRelistDue = true }
      let setting = known.map.settings(of: control.id).first
      parts.append(
        FrameTimeline.Part(
          setting: setting, value: nil, moment: moment, delay: delays[control.id]))
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
    guard let last = done.last(where: { switches.contains($0.control.id) }) ?? done.last else { return [] }
    let own = done.compactMap { known.map.setting(of: $0.control.id) }
    // Gains of colours are a temperature too, and a gain may be an ISO; any other plain value is itself alone.
    let isTwo = done.contains { known.map.settings(of: $0.control.id).count > 1 }
    guard isModeChange || own.contains(.whiteBalanceGains) || isTwo else { return [] }
    let then = known.map.frameSettings(before)
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
  func keys(since told: CameraSettings?, now: CameraSettings) -> Set<SettingsKey> {
    var keys = (told ?? before).differences(from: now)
    for step in done
    where known.map.setting(of: step.control.id) == nil && !switches.contains(step.control.id) {
      keys.insert(.control(step.control.id))
    }
    return keys
  }
}
