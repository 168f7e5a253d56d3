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
      undo.focus?.owed = owed.isEmpty ? nil : owed.focus
      replaced.add(owed)
    }
    if let exposure = request.exposure, exposure.mode != nil || exposure.releases {
      undo.exposure?.owed = owedExposure
      replaced.add(setBacks.remove(.exposure))
    }
    if request.whiteBalance != nil {
      let owed = setBacks.remove(.whiteBalance)
      undo.whiteBalance?.owed = owed.isEmpty ? nil : owed.whiteBalance
      replaced.add(owed)
    }
    return replaced
  }

  /// Takes over what a request says that the camera gets back.
  mutating func takeOver(_ request: SoftwareRequest) {
    var owed = SettingsChange()
    owed.focus = request.focus?.owed ?? owed.focus
    owed.whiteBalance = request.whiteBalance?.owed ?? owed.whiteBalance
    let left = hand(owed)
    setBacks.add(left)
    if let exposure = request.exposure?.owed { resumeBorrowing(owing: exposure) }
    var refused = SettingsChange()
    refused.exposure = request.exposure?.stillOwed ?? refused.exposure
    setBacks.add(refused, isRefused: true)
  }

  /// Hands what the camera was to get back to the modes that look for these settings. Returns what no mode looks for.
  @discardableResult
  mutating func hand(_ owed: SettingsChange) -> SettingsChange {
    var left = owed
    if let position = owed.focus.lensPosition, threeA.focus != nil {
      threeA.focus?.origin = position
      left.drop(.focus)
    }
    if owed.exposure != .init(), threeA.exposure != nil, !hasBorrowedExposure {
      exposureOrigin = origin(owing: owed.exposure)
      left.drop(.exposure)
    }
    if owed.whiteBalance.colour != nil, threeA.whiteBalance != nil {
      balanceOrigin = Origin(change: owed.part(.whiteBalance), searchHasMovedAway: true)
      left.drop(.whiteBalance)
    }
    return left
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
    if taken.isOfSearch || hasBorrowedExposure, Search.allCases.contains(where: isOn),
      let index = items.firstIndex(where: { $0.change.exposure != .init() })
    {
      let change = items.remove(at: index).change
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
