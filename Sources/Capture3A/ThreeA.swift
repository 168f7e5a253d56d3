import CaptureModel

/// Focus, exposure and white balance by software, for a camera that has the actuators and lacks the modes. Statistics of frames go in, and settings
/// come out. A part is `nil` if the camera or its driver has that mode, or if it cannot be set.
///
/// The parts do not disturb each other: focus is not judged while the exposure changes much. During a search for focus, exposure changes only for a
/// scene that is a stop off, and white balance does not change.
public struct ThreeA: Sendable {
  public var focus: FocusSearch?
  public var exposure: AutoExposure?
  public var whiteBalance: GreyWorld?
  private var lastExposure: Exposure?
  /// For how many frames focus is not judged.
  private var pause = 0
  /// Whether focus that rests is not judged, since the exposure is borrowed for a while: the picture may get sharper or darker for that alone.
  var leavesFocusAtRest = false

  public init(focus: FocusSearch? = nil, exposure: AutoExposure? = nil, whiteBalance: GreyWorld? = nil) {
    self.focus = focus
    self.exposure = exposure
    self.whiteBalance = whiteBalance
  }

  /// To be called when the exposure with which focus or grey was found is set back: neither is judged until every camera shows that.
  public mutating func pauseForExposure() { pause = 2 * DelayLearner.longestDelay }

  /// Frames may still show the exposure with which something was found.
  var isPausedForExposure: Bool { pause > 0 }

  /// The steps to take, in order.
  public enum Action: Hashable, Sendable {
    /// The lens position, 0 to 1.
    case moveLens(to: Double)
    case expose(Exposure)
    case balance(WhiteBalanceSetting)
    /// A search for focus ended.
    case focused(FocusResult)
  }

  /// Takes a frame that was taken with the settings `known`. Frames come in order; some may be missing.
  public mutating func observe(_ frame: FrameStatistics, takenWith known: KnownSettings) -> [Action] {
    var actions: [Action] = []
    let isFocusing = focus?.isAdjusting ?? false
    if let next = exposure?.observe(frame, takenWith: known.exposure, onlyLargeChanges: isFocusing) {
      actions.append(.expose(next))
    }
    let isSteady = isSteady(known.exposure) && pause == 0
    pause = max(pause - 1, 0)
    lastExposure = known.exposure ?? lastExposure
    // A blind picture does not tell whether the lens is still right.
    let isJudged = isSteady && (isFocusing || !leavesFocusAtRest && focus?.isBlind(frame) != true)
    let found = focus?.observe(
      frame, takenWith: known.lensPosition, exposure: known.exposure?.amount ?? 1,
      exposedPart: known.exposedPart, steady: isJudged)
    for action in found ?? [] {
      switch action {
      case .move(let position): actions.append(.moveLens(to: position))
      case .finished(let result): actions.append(.focused(result))
      }
    }
    let isPaused = !isSteady || focus?.isAdjusting ?? false
    if let next = whiteBalance?.observe(frame, takenWith: known.whiteBalance, isPaused: isPaused) {
      actions.append(.balance(next))
    }
    return actions
  }

  /// Whether pictures keep their brightness for now.
  private func isSteady(_ now: Exposure?) -> Bool {
    if let now, let lastExposure, abs(now.stops(above: lastExposure)) > 0.1 { return false }
    guard let exposure, exposure.isAdjusting else { return true }
    // Nobody knows in which frame a step of the exposure shows.
    if exposure.trust != .calibrated { return false }
    return abs(exposure.targetOffset ?? 0) < 0.3
  }
}
