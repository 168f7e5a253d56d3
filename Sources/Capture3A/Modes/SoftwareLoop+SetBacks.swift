import CaptureModel

/// What the camera gets back from searches. As long as a mode looks for a value, the search has what was there before, and returns to it if it finds
/// nothing. Afterwards it is due (``SetBacks``) until the driver takes it or something newer is asked for.
extension SoftwareLoop {
  // MARK: Requests

  /// Removes what a request replaces. Returns it, and notes in the request's undo what the camera gets back with that.
  mutating func removeSetBacks(replacedBy request: SoftwareRequest, noting undo: inout SoftwareRequest)
    -> SettingsChange
  {
    var replaced = SettingsChange()
    if let focus = request.focus, focus.mode != nil || focus.releases {
      let owed = setBacks.remove(.focus)
      replaced.add(owed)
      undo.focus?.owed = owed.isEmpty ? nil : owed.focus
      if displaced.focus.mode != nil {
        undo.focus?.owed = displaced.focus
        undo.focus?.owed?.lensPosition = owed.focus.lensPosition
      }
    }
    if let exposure = request.exposure, exposure.mode != nil || exposure.releases {
      undo.exposure?.owed = owedExposure
      if displaced.exposure.mode != nil {
        undo.exposure?.owed = displaced.exposure
        undo.exposure?.owed?.duration = exposureOrigin.left.exposure.duration
        undo.exposure?.owed?.gain = exposureOrigin.left.exposure.gain
      }
      replaced.add(setBacks.remove(.exposure))
    }
    if request.whiteBalance != nil {
      let owed = setBacks.remove(.whiteBalance)
      replaced.add(owed)
      undo.whiteBalance?.owed = owed.isEmpty ? nil : owed.whiteBalance
      if let mode = displaced.whiteBalance.mode {
        undo.whiteBalance?.owed = balanceOrigin.left.whiteBalance
        undo.whiteBalance?.owed?.mode = mode
      }
    }
    return replaced
  }

  /// Takes over what a request says that the camera gets back.
  mutating func takeOver(_ request: SoftwareRequest) {
    var owed = SettingsChange()
    owed.focus = request.focus?.owed ?? owed.focus
    owed.whiteBalance = request.whiteBalance?.owed ?? owed.whiteBalance
    if requestedExposure != nil { owed.exposure = request.exposure?.owed ?? owed.exposure }
    let left = hand(owed)
    setBacks.add(left)
    if requestedExposure == nil, let exposure = request.exposure?.owed { resumeBorrowing(owing: exposure) }
    var refused = SettingsChange()
    refused.exposure = request.exposure?.stillOwed ?? refused.exposure
    setBacks.add(refused, isRefused: true)
  }

  /// Hands what the camera was to get back to the modes that look for these settings. Returns what no mode looks for.
  @discardableResult
  mutating func hand(_ owed: SettingsChange) -> SettingsChange {
    var left = owed
    if owed.focus != .init(), threeA.focus != nil {
      if let position = owed.focus.lensPosition { threeA.focus?.origin = position }
      displace(.focus, owed)
      left.drop(.focus)
    }
    if owed.exposure != .init(), threeA.exposure != nil, !hasBorrowedExposure {
      if owed.exposure.duration != nil || owed.exposure.gain != nil {
        exposureOrigin = origin(owing: owed.exposure)
      }
      displace(.exposure, owed)
      left.drop(.exposure)
    }
    if owed.whiteBalance != .init(), threeA.whiteBalance != nil {
      if owed.whiteBalance.colour != nil {
        balanceOrigin = Origin(change: owed.part(.whiteBalance), searchHasMovedAway: true)
      }
      displace(.whiteBalance, owed)
      left.drop(.whiteBalance)
    }
    return left
  }

  // MARK: Modes of the camera's own

  /// The camera's own automatic modes that it has not back yet, with the points, the range and the bias from before: those from which the node's have
  /// taken over, and those that are due, also where a search has borrowed the exposure until then.
  package var ownModes: SettingsChange {
    var modes = displaced
    modes.add(setBacks.modes)
    if hasBorrowedExposure, let mode = exposureOrigin.change?.exposure.mode { modes.exposure.mode = mode }
    return modes
  }

  /// Notes which of the camera's own automatic modes the node's take over from. `undo`: what was asked for before.
  mutating func noteDisplaced(
    by request: SoftwareRequest, from undo: SoftwareRequest, _ replaced: SettingsChange
  ) {
    var before = SettingsChange()
    if let task = request.focus, task.mode != nil || task.releases {
      if task.endsCameraMode || replaced.focus.mode != nil { before.focus.mode = .continuous }
      (before.focus.point, before.focus.range) = (undo.focus?.point, undo.focus?.range)
      if task.mode?.isAutomatic != true { displaced.drop(.focus) } else { displace(.focus, before) }
    }
    if let task = request.exposure, task.mode != nil || task.releases {
      if task.endsCameraMode || replaced.exposure.mode != nil { before.exposure.mode = .continuous }
      (before.exposure.point, before.exposure.bias) = (undo.exposure?.point, undo.exposure?.bias)
      if task.mode?.isAutomatic != true { displaced.drop(.exposure) } else { displace(.exposure, before) }
    }
    if let task = request.whiteBalance {
      if task.endsCameraMode || replaced.whiteBalance.mode != nil { before.whiteBalance.mode = .continuous }
      let begins = task.isGreyWorld || task.mode?.isAutomatic == true
      if !begins { displaced.drop(.whiteBalance) } else { displace(.whiteBalance, before) }
    }
  }

  /// Notes the camera's own mode of a group, if that has one in `before` and none is noted yet.
  private mutating func displace(_ group: SettingGroup, _ before: SettingsChange) {
    let part = before.part(group)
    guard part.hasModes, displaced.part(group).isEmpty else { return }
    switch group {
    case .focus: displaced.focus = part.focus
    case .exposure:
      displaced.exposure = part.exposure
      (displaced.exposure.duration, displaced.exposure.gain) = (nil, nil)
    case .whiteBalance: displaced.whiteBalance.mode = part.whiteBalance.mode
    case .zoom, .torch, .flash, .frameDuration, .flip: break
    }
  }

  /// Tells that a mode that had to run once is done. A setting that was not found is set back. Focus returns by itself.
  mutating func noteEnd(_ group: SettingGroup, hasFound: Bool, from origin: Origin = Origin()) {
    if hasFound { displaced.drop(group) } else { setBack(group, to: origin.left.part(group)) }
  }

  /// A mode of the node's has ended without a result: the camera gets its values back, and its own mode if the node's had taken over from that. The points, the range
  /// and the bias are as before, too: the camera's own mode knows nothing of them.
  mutating func setBack(_ group: SettingGroup, to values: SettingsChange) {
    let own = displaced.part(group)
    guard !own.isEmpty else { return setBacks.add(values) }
    displaced.drop(group)
    modes.giveBack(own)
    var change = setBacks.remove(group)
    change.add(values)
    change.add(own.modes)
    setBacks.add(change)
  }

  // MARK: Setting

  /// Tells that an item was set. An exposure that came late changes the picture once more.
  package mutating func noteSetBack(_ number: Int) {
    guard let item = setBacks.succeeded(number) else { return }
    if item.refusals > 0, item.change.exposure != .init() { threeA.pauseForExposure() }
  }

  /// What the camera gets back at once, because something else than a search has it from then on.
  package struct TakenSetBacks: Sendable {
    fileprivate var items: [SetBacks.Item]
    /// Whether a search had borrowed the exposure until then.
    fileprivate var isOfSearch: Bool

    package var change: SettingsChange {
      items.reduce(into: SettingsChange()) { change, item in change.add(item.change) }
    }
  }

  /// Takes what the camera gets back, also what a search has borrowed.
  package mutating func takeSetBacks() -> TakenSetBacks {
    let isOfSearch = hasBorrowedExposure
    returnExposure(isOver: true)
    return TakenSetBacks(items: setBacks.takeAll(), isOfSearch: isOfSearch)
  }

  /// Takes back what could not be set. An exposure that a search had borrowed, or has borrowed meanwhile, belongs to the search again. Returns what
  /// somebody has to be told of.
  package mutating func putBack(_ taken: TakenSetBacks, _ obstacle: SetBacks.Obstacle) -> [SetBacks.Refusal] {
    var items = taken.items
    var refusals: [SetBacks.Refusal] = []
    var change = SettingsChange()
    for item in items { change.add(item.change.part(.exposure)) }
    if taken.isOfSearch || hasBorrowedExposure, Search.allCases.contains(where: isOn), !change.isEmpty {
      items.removeAll { $0.change.exposure != .init() }
      resumeBorrowing(owing: change.exposure)
      beginFromPresent()
      renewReport()
      if case .refusal(framesCome: false) = obstacle {
        refusals = change.singles.map { SetBacks.Refusal(change: $0, isFinal: false) }
      }
    }
    setBacks.putBack(items)
    for item in items {
      if let refusal = setBacks.failed(item.number, obstacle) { refusals.append(refusal) }
    }
    return refusals
  }
}
