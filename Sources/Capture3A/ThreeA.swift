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
  /// For how many more frames neither focus nor white balance is judged.
  private var pause = 0
  /// Whether focus is not judged while it rests. This holds while the exposure is borrowed, which alone may make the picture sharper or darker.
  var leavesFocusAtRest = false

  public init(focus: FocusSearch? = nil, exposure: AutoExposure? = nil, whiteBalance: GreyWorld? = nil) {
    self.focus = focus
    self.exposure = exposure
    self.whiteBalance = whiteBalance
  }

  /// Has neither focus nor white balance judged until every camera shows the latest exposure. To be called when the exposure with which one of them
  /// was found is set back.
  public mutating func pauseForExposure() { pause = 2 * DelayLearner.longestDelay }

  /// Whether frames may still show the exposure with which focus or white balance was found.
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
    // A picture that is white or black around the point does not show whether the lens is still right.
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
