import CaptureModel

/// Borrows the exposure for a search that learns nothing from the picture as it is: focus where the picture is white or black around the point of
/// interest, white balance where the picture's bright parts clip. A search borrows only an exposure that was set by hand. The exposure is set back
/// when the search ends, however it ends.
extension SoftwareLoop {
  /// Which search has borrowed the exposure that was set by hand, and which searches may not borrow it.
  struct Borrowing: Hashable, Sendable {
    /// The search that has borrowed the exposure; `nil`: none.
    var borrower: Search?
    /// Searches that may not borrow the exposure. They were under way when a client took it from one of them, and go on with the exposure of the
    /// client.
    var excluded: Set<Search> = []
    /// The value of ``excluded`` before the latest request, if that request took the exposure from a search. Undoing the request restores it.
    var formerlyExcluded: Set<Search>?
  }

  enum Search: CaseIterable, Sendable { case focus, whiteBalance }

  /// The number of frames for which the present searches have gone on.
  struct Searched: Sendable {
    var focus = 0
    var whiteBalance = 0
  }

  var hasBorrowedExposure: Bool { borrower != nil }

  var borrower: Search? { borrowing.borrower }

  /// The software mode of the exposure that a client asked for; `nil`: none, or the exposure is borrowed for a search.
  var requestedExposure: AutoExposure? { hasBorrowedExposure ? nil : threeA.exposure }

  /// A search may borrow the exposure only within this many of its first frames. By then every camera shows what was set before the search began. A
  /// part that turns white or black later belongs to a picture that is exposed well enough.
  private static let lastBorrowingFrame = 12

  /// Borrows the exposure if a search learns nothing from the frame.
  mutating func borrowExposure(for frame: FrameStatistics) {
    let isFocusing = isOn(.focus)
    searched.focus = isFocusing ? searched.focus + 1 : 0
    // White balance waits for focus.
    let isBalancing = isOn(.whiteBalance) && !isFocusing && !threeA.isPausedForExposure
    searched.whiteBalance = isBalancing ? searched.whiteBalance + 1 : 0
    guard let search = searchThatNeedsExposure(in: frame), mayBorrow(search),
      let present = settings.map(actuators.known)?.exposure, let exposure = exposure(for: search)
    else { return }
    let owed = setBacks.remove(.exposure).exposure
    // Focus takes over what white balance has borrowed.
    if !hasBorrowedExposure { exposureOrigin = Origin() }
    (threeA.exposure, borrowing.borrower) = (exposure, search)
    threeA.exposure?.begin(with: present)
    beginFromPresent()
    if owed != .init() { exposureOrigin = origin(owing: owed) }
    if search == .focus { renewFocus() }
  }

  private func mayBorrow(_ search: Search) -> Bool {
    if borrowing.excluded.contains(search) { return false }
    if let borrower { return search == .focus && borrower == .whiteBalance }
    return threeA.exposure == nil && settings?.exposure?.mode == .custom
  }

  func isOn(_ search: Search) -> Bool {
    switch search {
    case .focus: threeA.focus?.isAdjusting == true
    case .whiteBalance: threeA.whiteBalance?.isAdjusting == true
    }
  }

  private func searchThatNeedsExposure(in frame: FrameStatistics) -> Search? {
    if 1...Self.lastBorrowingFrame ~= searched.focus, threeA.focus?.isBlind(frame) == true { return .focus }
    if 1...Self.lastBorrowingFrame ~= searched.whiteBalance, GreyEstimate.isOverexposed(frame) {
      return .whiteBalance
    }
    return nil
  }

  /// Sets the exposure back once the search that has borrowed it has ended. `isOver`: at once, as after the end of the stream; the next searches may
  /// borrow it again.
  mutating func returnExposure(isOver: Bool = false) {
    borrowing.excluded = isOver ? [] : borrowing.excluded.filter(isOn)
    if isOver { borrowing.formerlyExcluded = nil }
    guard let borrower, isOver || !isOn(borrower) else { return }
    borrowing.borrower = nil
    if exposureOrigin.searchHasMovedAway, let before = exposureOrigin.change {
      setBacks.add(before.part(.exposure))
      threeA.pauseForExposure()
    }
    (threeA.exposure, exposureOrigin) = (nil, Origin())
  }

  /// Tells that a client has taken the exposure from the search. The search's origin stays: if a mode of the client's finds nothing, the camera gets
  /// back the exposure from before the search.
  mutating func endBorrowing() {
    guard hasBorrowedExposure else { return }
    borrowing = Borrowing(
      excluded: Set(Search.allCases.filter(isOn)), formerlyExcluded: borrowing.excluded)
  }

  /// The exposure that the camera gets back, because a search has borrowed it or because it is due. `nil`: there is none.
  var owedExposure: SettingsChange.Exposure? {
    hasBorrowedExposure ? exposureOrigin.change?.exposure : setBacks.exposure()
  }

  /// The values of ``owedExposure`` that the driver has not refused so far.
  package var unrefusedExposure: SettingsChange.Exposure? {
    hasBorrowedExposure ? exposureOrigin.change?.exposure : setBacks.exposure(isRefused: false)
  }

  /// The values of ``owedExposure`` that the driver has refused so far.
  package var refusedExposure: SettingsChange.Exposure? { setBacks.exposure(isRefused: true) }

  /// Gives the exposure back to a search, after the undo of the request that had taken it. The camera still has the exposure that the search had set.
  /// If no search is under way, `exposure` is set back after the next frame. A mode of the camera's own is set back then too, unless a search has the
  /// exposure now.
  mutating func resumeBorrowing(owing exposure: SettingsChange.Exposure) {
    guard Search.allCases.contains(where: isOn), exposure.mode == nil || hasBorrowedExposure else {
      var change = SettingsChange()
      change.exposure = exposure
      setBacks.add(change)
      return threeA.pauseForExposure()
    }
    let search = isOn(.whiteBalance) && !isOn(.focus) ? Search.whiteBalance : .focus
    exposureOrigin = origin(owing: exposure)
    let excluded = borrowing.formerlyExcluded ?? borrowing.excluded
    borrowing = Borrowing(borrower: search, excluded: excluded.filter(isOn))
    threeA.exposure = self.exposure(for: search)
    if isOn(.focus) { renewFocus() }
  }

  /// Lets searches borrow again the exposure that a client has set, once they have ended or begin anew with `request`.
  mutating func allowBorrowing(after request: SoftwareRequest) {
    if borrowing.excluded.isEmpty { return }
    if request.focus?.mode != nil { borrowing.excluded.remove(.focus) }
    if request.whiteBalance != nil { borrowing.excluded.remove(.whiteBalance) }
    borrowing.excluded = borrowing.excluded.filter(isOn)
  }

  /// The automatic exposure that works for a search; `nil`: the camera's exposure cannot be set.
  func exposure(for search: Search) -> AutoExposure? {
    guard let limits = actuators.exposure else { return nil }
    var exposure = AutoExposure(
      limits: limits, meter: meter(for: search), trust: actuators.trust(in: Actuators.exposureSettings))
    exposure.set(.auto)
    return exposure
  }

  /// The meter for a search: focus measures the point that shall be sharp, white balance most of the picture.
  func meter(for search: Search) -> ExposureMeter {
    ExposureMeter(point: search == .focus ? visible(modes.focus.point) : nil, aspect: actuators.aspect)
  }
}
