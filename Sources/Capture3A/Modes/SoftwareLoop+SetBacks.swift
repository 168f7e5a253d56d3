import CaptureModel

/// What the camera gets back from searches. While a mode looks for a value, its search keeps the value from before, and returns to it if it finds
/// nothing. After the search the value from before is due (``SetBacks``) until the driver takes it or a newer one is asked for.
extension SoftwareLoop {
  // MARK: Requests

  /// Removes from ``setBacks`` what a request replaces, and returns it. Notes in the request's undo what the camera gets back if the request is
  /// undone.
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

  /// Takes over the values and modes that the camera gets back according to a request.
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

  /// Hands what the camera was to get back to the searches for these settings, which return to it if they find nothing. Returns the settings for
  /// which there is no search.
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

  /// The camera's own automatic modes that it has yet to get back, with the points, the range and the bias from before. These are the modes from
  /// which the node's have taken over, the modes that are due, and the mode that goes with a borrowed exposure.
  package var ownModes: SettingsChange {
    var modes = displaced
    modes.add(setBacks.modes)
    if hasBorrowedExposure, let mode = exposureOrigin.change?.exposure.mode { modes.exposure.mode = mode }
    return modes
  }

  /// Notes the camera's own automatic modes from which the node's modes take over with a request. `undo`: the request that undoes it. `replaced`:
  /// what was due until now.
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

  /// Notes the camera's own mode of a group, if `before` has one and none is noted yet.
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

  /// Tells that a mode that had to run once is done. A setting that was not found is set back to `origin`. The focus search has set the lens back
  /// itself.
  mutating func noteEnd(_ group: SettingGroup, hasFound: Bool, from origin: Origin = Origin()) {
    if hasFound { displaced.drop(group) } else { setBack(group, to: origin.left.part(group)) }
  }

  /// Sets a group back to `values` after a mode of the node's has ended without a result, and to the camera's own mode if the node's had taken over
  /// from one. The node's points, range and bias then become those from before too, since the camera's own mode does not know them.
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

  /// Tells that an item was set. If it is an exposure that the driver had refused before, the picture changes once more now, and searches pause.
  package mutating func noteSetBack(_ number: Int) {
    guard let item = setBacks.succeeded(number) else { return }
    if item.refusals > 0, item.change.exposure != .init() { threeA.pauseForExposure() }
  }

  /// What the camera gets back at once, because something other than a search sets the camera from then on.
  package struct TakenSetBacks: Sendable {
    fileprivate var items: [SetBacks.Item]
    /// Whether a search had borrowed the exposure until then.
    fileprivate var isOfSearch: Bool

    package var change: SettingsChange {
      items.reduce(into: SettingsChange()) { change, item in change.add(item.change) }
    }
  }

  /// Takes all that the camera is to get back, and the exposure that a search has borrowed.
  package mutating func takeSetBacks() -> TakenSetBacks {
    let isOfSearch = hasBorrowedExposure
    returnExposure(isOver: true)
    return TakenSetBacks(items: setBacks.takeAll(), isOfSearch: isOfSearch)
  }

  /// Takes back items that could not be set. An exposure that a search had borrowed, or has borrowed meanwhile, belongs to the search again. Returns
  /// the refusals that somebody has to be told of.
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
