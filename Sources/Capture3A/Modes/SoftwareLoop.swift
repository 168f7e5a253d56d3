import CaptureModel

/// The node's own automatic modes for one camera: requests and frames go in, and changes of settings come out.
package struct SoftwareLoop: Sendable {
  package internal(set) var modes = SoftwareModes()
  package private(set) var actuators = Actuators()
  var borrowing = Borrowing()
  var searched = Searched()
  var threeA = ThreeA()
  /// The settings that the driver reports.
  private(set) var settings: CameraSettings?
  var exposureOrigin = Origin()
  var balanceOrigin = Origin()
  /// What the camera gets back from searches that are over.
  package var setBacks = SetBacks()
  /// The camera's own automatic modes from which the node's have taken over, with the points, the range and the bias from before.
  package internal(set) var displaced = SettingsChange()
  private var failures = Failures()
  private var torch: TorchWatch?
  /// The part of the sensor that the latest frame shows.
  private var field = PictureTransform.identity
  /// The number of the latest frame.
  private var sequence: UInt64?
  /// The format of the latest frame.
  private var format: StreamFormat?
  /// How many frames of the stream were judged so far.
  package private(set) var judged = 0
  package private(set) var report = Report()
  /// Whether a client watches how far the exposure is off, no matter whether the node or the driver exposes.
  package var measuresOffset = false {
    didSet {
      offset = nil
      renewReport()
    }
  }
  /// How much brighter than wanted the picture is, in EV, where the node does not expose.
  private var offset: Double?
  /// The bias of the driver's own exposure, in EV.
  private var driverBias = 0.0
  private var hasExposure = false

  package init() {}

  /// The report for watchers.
  package struct Report: Hashable, Sendable {
    var modes = SoftwareModes()
    var failures = Failures()
    var isFocusing = false
    var isExposing = false
    var isBalancing = false
    /// In EV, to a tenth.
    var targetOffset: Double?
  }

  /// The consequences of a frame.
  package struct Outcome: Sendable {
    package var change = SettingsChange()
    /// Settings whose search is over, and whose values shall stay.
    package var settled: [Setting] = []
    /// Delays that were learned from what the node set before.
    package var delays: [ObservedDelay] = []
  }

  /// Whether a mode is searching.
  package var isSearching: Bool {
    report.isFocusing || report.isExposing || report.isBalancing || hasBorrowedExposure
  }

  /// Whether frames have to be measured.
  package var wantsFrames: Bool {
    modes.isOn || measuresOffset && hasExposure || hasBorrowedExposure || !setBacks.isEmpty
  }

  // MARK: Requests

  package mutating func abilities(beside camera: SettingsDescription) -> SoftwareAbilities {
    actuators.camera = camera
    return SoftwareAbilities(beside: camera, kept: modes.kept)
  }

  /// Takes the settings that the driver reports.
  package mutating func note(_ settings: CameraSettings) {
    hasExposure = settings.exposure != nil
    self.settings = settings
    beginFromPresent()
    guard let exposure = settings.exposure, !exposure.isSoftware else { return }
    actuators.exposesItself = exposure.mode == .continuous
    driverBias = exposure.bias
  }

  /// Begins, changes or ends modes. Returns the request that undoes that.
  package mutating func apply(_ request: SoftwareRequest) -> SoftwareRequest {
    var undo = modes.apply(request)
    let replaced = removeSetBacks(replacedBy: request, noting: &undo)
    noteDisplaced(by: request, from: undo, replaced)
    if request.exposure?.owed == nil { borrowing.formerlyExcluded = nil }
    if let task = request.focus {
      if task.mode != nil || task.releases {
        renewFocus()
        failures.focus = nil
      }
      let point = visible(modes.focus.point)
      threeA.focus?.point = point
      threeA.focus?.restriction = FocusRestriction(modes.focus.range)
      if borrower == .focus { threeA.exposure = exposure(for: .focus) }
    }
    if let task = request.exposure {
      if task.mode != nil || task.releases {
        if hasBorrowedExposure {
          endBorrowing()
        } else if threeA.exposure?.isAdjusting != true {
          exposureOrigin = Origin()
        }
        (threeA.exposure, failures.exposure) = (autoExposure(), nil)
        // No search borrows the exposure until the driver has reported the one that was asked for.
        if task.releases { settings?.exposure = nil }
      }
      if !hasBorrowedExposure {
        let meter = meter
        threeA.exposure?.meter = meter
        threeA.exposure?.bias = modes.exposure.bias
      }
    }
    if request.whiteBalance != nil {
      if threeA.whiteBalance?.isAdjusting != true { balanceOrigin = Origin() }
      renewWhiteBalance()
      failures.whiteBalance = nil
    }
    allowBorrowing(after: request)
    hand(replaced)
    takeOver(request)
    if let isOn = request.torch { torch = isOn ? TorchWatch() : nil }
    beginFromPresent()
    renewReport()
    return undo
  }

  /// Returns the part of `asked` that is to be applied. `asked` is the request for the modes that were on when the camera went or the node ended.
  /// If a group's mode is on already, or the camera still has to get back something of the group (``setBacks``), the group's part of `asked` is
  /// applied only if it names a mode. What the camera still has to get back stays due.
  package func resuming(_ asked: SoftwareRequest) -> SoftwareRequest {
    var request = asked
    let focusIsKept = modes.focus.mode != nil || setBacks.owes(.focus)
    if focusIsKept, request.focus?.mode == nil { request.focus = nil }
    let exposureIsKept = modes.exposure.mode != nil || setBacks.owes(.exposure)
    if exposureIsKept, request.exposure?.mode == nil { request.exposure = nil }
    let balanceIsKept = modes.whiteBalance != nil || setBacks.owes(.whiteBalance)
    if balanceIsKept, request.whiteBalance?.mode == nil { request.whiteBalance = nil }
    return request
  }

  /// Ends every mode, and reports `reason` as its failure. Settings that a search was changing are set back, and the camera gets back its own modes
  /// from which the node's had taken over.
  package mutating func stop(_ reason: String) {
    var before = SettingsChange()
    if let focus = threeA.focus, focus.isAdjusting { before.focus.lensPosition = focus.origin }
    if threeA.exposure?.isAdjusting == true || hasBorrowedExposure, exposureOrigin.searchHasMovedAway {
      before.exposure = exposureOrigin.change?.exposure ?? .init()
    }
    if threeA.whiteBalance?.isAdjusting == true, balanceOrigin.searchHasMovedAway {
      before.whiteBalance = balanceOrigin.change?.whiteBalance ?? .init()
    }
    if modes.focus.mode?.isAutomatic == true { failures.focus = reason }
    if modes.exposure.mode?.isAutomatic == true { failures.exposure = reason }
    if modes.whiteBalance?.isAutomatic == true { failures.whiteBalance = reason }
    if modes.focus.mode != nil { modes.focus.mode = .locked }
    if modes.exposure.mode != nil { modes.exposure.mode = .locked }
    if modes.whiteBalance != nil { modes.whiteBalance = .locked }
    modes.torch = false
    (threeA, torch, borrowing) = (ThreeA(), nil, Borrowing())
    for group in SettingsChange.searchedGroups { setBack(group, to: before.part(group)) }
    renewReport()
  }

  // MARK: Frames

  package mutating func observe(
    _ frame: FrameStatistics, of format: StreamFormat, takenWith settings: FrameSettings?
  )
    -> Outcome
  {
    // A stream is a new one also where the former one ended before it came to the number of the first frame that is measured now.
    if format != self.format || sequence.map({ frame.sequence <= $0 }) ?? true { streamStarted(format) }
    (sequence, self.format) = (frame.sequence, format)
    judged += 1
    setBacks.frameCame()
    if let seen = actuators.field(settings), seen != field {
      field = seen
      let point = visible(modes.focus.point)
      let meter = borrower.map(meter(for:)) ?? meter
      threeA.focus?.point = point
      threeA.exposure?.meter = meter
    }
    borrowExposure(for: frame)
    threeA.leavesFocusAtRest = borrower == .whiteBalance
    var outcome = Outcome()
    for action in threeA.observe(frame, takenWith: actuators.known(settings)) {
      perform(action, &outcome.change)
    }
    outcome.delays = takeDelays()
    let hasLight = (settings?.torchLevel?.value ?? 0) > 0
    if let isLit = torch?.observe(actuators.brightness(of: frame, takenWith: settings), hasLight: hasLight) {
      outcome.change.torch = SettingsChange.Light(mode: isLit ? .on : .off)
    }
    if measuresOffset, requestedExposure == nil {
      let bias = modes.exposure.mode == nil ? driverBias : modes.exposure.bias
      offset = meter.reading(of: frame).offset - bias
    }
    settle(&outcome, frame)
    returnExposure()
    renewReport()
    return outcome
  }

  /// Adds a step of a search to `change`. A step back to where the search began is added to ``setBacks`` instead.
  private mutating func perform(_ action: ThreeA.Action, _ change: inout SettingsChange) {
    var step = SettingsChange()
    var isBack = false
    switch action {
    case .moveLens(let position):
      step.focus.lensPosition = position
      isBack = threeA.focus?.isTurningBack == true
    case .expose(let exposure):
      actuators.add(exposure, to: &step)
      exposureOrigin.searchHasMovedAway = true
    case .balance(let balance):
      step.whiteBalance.colour = .init(balance)
      // If the search is over, it tried the neutral setting in vain, and this step returns to the setting from before.
      isBack = threeA.whiteBalance?.isAdjusting == false
      balanceOrigin.searchHasMovedAway = true
    case .focused: return
    }
    if isBack { return setBacks.add(step) }
    for group in SettingsChange.searchedGroups where !step.part(group).isEmpty {
      let replaced = setBacks.remove(group)
      hand(replaced)
    }
    change.add(step)
  }

  /// Ends the modes that had to run once and are done. A setting that was not found is set back.
  private mutating func settle(_ outcome: inout Outcome, _ frame: FrameStatistics) {
    if let focus = threeA.focus, focus.mode == .locked {
      failures.focus = focus.failure.map { focus.isBlind(frame) ? $0 + Self.exposeFirst : $0 }
      (threeA.focus, modes.focus.mode) = (nil, .locked)
      noteEnd(.focus, hasFound: failures.focus == nil)
      outcome.settled.append(.lensPosition)
    }
    if requestedExposure?.mode == .locked {
      failures.exposure = threeA.exposure?.failure
      (threeA.exposure, modes.exposure.mode) = (nil, .locked)
      noteEnd(.exposure, hasFound: failures.exposure == nil, from: exposureOrigin)
      outcome.settled += [.exposureDuration, .gain]
    }
    if threeA.whiteBalance?.mode == .locked {
      failures.whiteBalance = threeA.whiteBalance?.failure
      (threeA.whiteBalance, modes.whiteBalance) = (nil, .locked)
      noteEnd(.whiteBalance, hasFound: failures.whiteBalance == nil, from: balanceOrigin)
      outcome.settled += [.temperature, .whiteBalanceGains]
    }
  }

  private static let exposeFirst = ": the picture is white or black there, so expose first"

  /// Forgets how many frames of the stream were judged, since they say nothing about the next stream. What has to be set back is tried at once, since
  /// no frames come.
  package mutating func streamEnded() {
    judged = 0
    returnExposure(isOver: true)
    setBacks.streamEnded()
  }

  /// Keeps what was found, and starts the running searches again.
  private mutating func streamStarted(_ format: StreamFormat) {
    judged = 0
    let before = actuators
    actuators.adapt(to: format)
    if actuators != before || threeA.focus?.isAdjusting == true { renewFocus() }
    if actuators != before || threeA.exposure?.isAdjusting == true {
      threeA.exposure = borrower.map(exposure(for:)) ?? autoExposure()
    }
    if threeA.whiteBalance?.isAdjusting == true { renewWhiteBalance() }
    searched = Searched()
    if torch != nil { torch = TorchWatch() }
    beginFromPresent()
  }

  // MARK: Parts

  mutating func renewFocus() {
    let former = threeA.focus
    searched.focus = 0
    threeA.focus = focusSearch()
    threeA.focus?.resume(from: former)
  }

  private mutating func renewWhiteBalance() {
    let former = threeA.whiteBalance
    searched.whiteBalance = 0
    threeA.whiteBalance = greyWorld()
    threeA.whiteBalance?.resume(from: former)
  }

  private func focusSearch() -> FocusSearch? {
    guard let mode = modes.focus.mode, mode.isAutomatic, let travel = actuators.lens else { return nil }
    var search = FocusSearch(
      travel: travel, point: visible(modes.focus.point), aspect: actuators.aspect,
      trust: actuators.trust(in: [.lensPosition]))
    search.restriction = FocusRestriction(modes.focus.range)
    search.set(mode == .auto ? .auto : .continuous)
    return search
  }

  private func autoExposure() -> AutoExposure? {
    guard let mode = modes.exposure.mode, mode.isAutomatic, let limits = actuators.exposure else {
      return nil
    }
    var exposure = AutoExposure(
      limits: limits, meter: meter, trust: actuators.trust(in: Actuators.exposureSettings))
    exposure.bias = modes.exposure.bias
    exposure.set(mode == .auto ? .auto : .continuous)
    return exposure
  }

  /// The meter of the node's own exposure. With the point at the centre, it measures most of the picture.
  private var meter: ExposureMeter {
    let point = modes.exposure.point
    return ExposureMeter(point: point == .center ? nil : visible(point), aspect: actuators.aspect)
  }

  /// The place in a frame that shows `point` of the sensor's frame, or the nearest place. The middle stays the middle.
  func visible(_ point: NormalizedPoint) -> NormalizedPoint {
    point == .center ? point : field.nearestPicturePoint(forDevicePoint: point)
  }

  private func greyWorld() -> GreyWorld? {
    guard let mode = modes.whiteBalance, mode.isAutomatic, let actuator = actuators.whiteBalance else {
      return nil
    }
    var balance = GreyWorld(actuator: actuator, trust: actuators.trust(in: actuators.balanceSettings))
    balance.set(mode == .auto ? .auto : .continuous)
    return balance
  }

  mutating func renewReport() {
    (report.modes, report.failures) = (modes, failures)
    report.isFocusing = threeA.focus?.isAdjusting ?? false
    report.isExposing = requestedExposure?.isAdjusting ?? false
    report.isBalancing = threeA.whiteBalance?.isAdjusting ?? false
    // An offset that is no longer measured may have changed, so it is no longer reported.
    if requestedExposure == nil, offset == nil { report.targetOffset = nil }
    // A small difference is noise, and is not reported.
    guard let offset = requestedExposure == nil ? offset : requestedExposure?.targetOffset else { return }
    if let reported = report.targetOffset, abs(offset - reported) < Self.newsworthyOffset { return }
    report.targetOffset = (offset * 10).rounded() / 10
  }

  /// A difference from the reported offset that is smaller than this, in EV, is not reported.
  private static let newsworthyOffset = 0.08
}

extension SoftwareLoop.Report {
  /// Adds the modes, the findings and the failures of the node's modes. Values that the driver alone reports stay as they are.
  package func add(to settings: inout CameraSettings, _ abilities: SoftwareAbilities) {
    if abilities.hasFocusPoint { settings.focus?.point = modes.focus.point }
    if abilities.focusRanges.count > 1, (settings.focus?.range ?? FocusRange.none) == FocusRange.none {
      settings.focus?.range = modes.focus.range
    }
    if let mode = modes.focus.mode {
      settings.focus?.mode = mode
      settings.focus?.isAdjusting = isFocusing
      settings.focus?.isSoftware = mode.isAutomatic
    }
    settings.focus?.failure = failures.focus
    if abilities.hasExposurePoint { settings.exposure?.point = modes.exposure.point }
    if let mode = modes.exposure.mode {
      settings.exposure?.mode = mode
      settings.exposure?.isAdjusting = isExposing
      settings.exposure?.isSoftware = mode.isAutomatic
      settings.exposure?.bias = modes.exposure.bias
    }
    settings.exposure?.failure = failures.exposure
    settings.exposure?.targetOffset = targetOffset.map { Observed($0, .observed) }
    if let mode = modes.whiteBalance {
      settings.whiteBalance?.mode = mode
      settings.whiteBalance?.isAdjusting = isBalancing
      settings.whiteBalance?.isSoftware = mode.isAutomatic
    }
    settings.whiteBalance?.failure = failures.whiteBalance
    if modes.torch {
      settings.torch?.mode = .auto
      settings.torch?.isSoftware = true
    }
  }
}
