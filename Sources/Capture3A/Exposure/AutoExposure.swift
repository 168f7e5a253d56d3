import CaptureModel
import Glibc

/// Automatic exposure: measures how bright frames are, and computes the exposure to set.
///
/// It judges only frames that have the latest exposure, so that the camera's delay does not make the exposure swing. The exposure and the brightness
/// of one such frame give the right exposure; only where parts of the picture clipped, later frames correct it. A right exposure is left alone until
/// the picture is off by more than a tenth of a stop for several frames.
///
/// Where nobody measured which frames have which exposure, each step waits until pictures show it, and auto mode locks only an exposure that has been
/// at rest for as long as the slowest camera needs. If auto mode does not find the exposure, ``failure`` says why.
public struct AutoExposure: Sendable {
  public private(set) var mode = AutomaticMode.continuous
  public var meter: ExposureMeter { didSet { if meter != oldValue { restart() } } }
  /// EV that are added to what the meter finds right (`exposureTargetBias`).
  public var bias = 0.0 { didSet { if bias != oldValue { restart() } } }
  public var limits: ExposureLimits { didSet { if limits != oldValue { restart() } } }

  /// How much brighter than wanted the last frame was, in EV (`exposureTargetOffset`); `nil` before the first one.
  public private(set) var targetOffset: Double?
  /// Whether a search for the exposure is under way (`isAdjustingExposure`).
  public private(set) var isAdjusting = true
  /// Why auto mode ended without the right exposure.
  public private(set) var failure: String?

  private var awaited: AwaitedSetting<Exposure>
  private var delayLearner: DelayLearner
  private var hasStepped = false
  private var observation: Observation?
  /// Whether pictures have shown the delay of the duration, and the delay of the gain. A step of a value whose delay is unknown waits until every
  /// camera would show it, since a small step may not show in the picture.
  private var hasSeen: (duration: Bool, gain: Bool)
  /// The last frame that was judged.
  private var judged: (exposure: Exposure, reading: ExposureMeter.Reading)?
  /// How many frames in a row were believed to have a new exposure, but did not show it.
  private var unmoved = 0
  /// How many steps in a row pictures have not shown, although the search waited for them.
  private var unanswered = 0
  /// How many frames in a row were too bright or too dark while the exposure was at rest.
  private var disturbed = 0
  private var corrections = 0
  private var reversals = 0
  private var lastStep = 0.0

  /// `assumedDelay`: the number of frames between a setting and the first frame that has it, for frames whose exposure is unknown.
  public init(
    limits: ExposureLimits, meter: ExposureMeter = ExposureMeter(), assumedDelay: Int = 3,
    trust: DelayTrust = .calibrated
  ) {
    delayLearner = DelayLearner(trust)
    hasSeen = (trust != .unknown, trust != .unknown)
    self.limits = limits
    self.meter = meter
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
  }

  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    (failure, hasStepped) = (nil, false)
    if mode == .locked { isAdjusting = false } else { restart() }
  }

  /// Tells which exposure the camera has when a search begins, so that earlier frames are not judged. The call does nothing once the search has set
  /// an exposure.
  public mutating func begin(with exposure: Exposure) {
    guard !hasStepped, awaited.latest.map({ !$0.isAbout(exposure) }) ?? true else { return }
    awaited.set(exposure)
    delayLearner.set()
  }

  /// How surely it is known now which frames have which exposure.
  public var trust: DelayTrust { delayLearner.trust }

  /// Returns an observation that was not returned before: by how many frames a step showed later than the frames' settings said, and what the step
  /// changed.
  public mutating func takeObservation() -> Observation? { observation.take() }

  public struct Observation: Sendable {
    public var late: Int
    public var isOfDuration: Bool
    public var isOfGain: Bool
  }

  private var step: (old: Exposure, new: Exposure)? {
    guard hasStepped, let judged, let latest = awaited.latest else { return nil }
    return (judged.exposure, latest)
  }

  /// Judges a frame. `known`: the exposure with which it was taken; `nil`: unknown. `onlyLargeChanges`: another part needs a steady picture, so an
  /// exposure at rest is corrected only if the picture is off by more than a stop.
  /// - Returns: the exposure to set; `nil`: none.
  public mutating func observe(
    _ frame: FrameStatistics, takenWith known: Exposure?, onlyLargeChanges: Bool = false
  )
    -> Exposure?
  {
    let reading = meter.reading(of: frame)
    let offset = reading.offset - bias
    targetOffset = offset
    guard let exposure = awaited.settingOfFrame(known: known), mode != .locked else { return nil }
    let isLatest = awaited.isLatest(exposure) { $0.isAbout($1) }
    delayLearner.frame(frame.sequence, isBelieved: isLatest, shows: showsStep(reading))
    if let late = delayLearner.takeObservation(), let (old, new) = step {
      let seen = Observation(
        late: late, isOfDuration: new.hasOtherDuration(than: old), isOfGain: new.hasOtherGain(than: old))
      hasSeen = (hasSeen.duration || seen.isOfDuration, hasSeen.gain || seen.isOfGain)
      observation = seen
    }
    guard isLatest, delayLearner.isSure || delayLearner.isReady else { return nil }
    guard hasMoved(exposure, reading) else {
      if !delayLearner.isSure, mode == .auto, delayLearner.rest >= DelayLearner.longestWait {
        fail(Self.noAnswer)
      }
      return nil
    }
    if mode == .auto, unanswered >= Self.manyUnanswered {
      fail(Self.noAnswer)
      return nil
    }
    judged = (exposure, reading)
    let next = correction(of: exposure, by: bias - reading.estimatedOffset)
    if !isAdjusting {
      guard isDisturbed(offset, onlyLargeChanges: onlyLargeChanges), next != nil else { return nil }
      restart()
    }
    guard let next, abs(offset) > Self.settledOffset,
      corrections < Self.fewCorrections || abs(offset) > Self.disturbingOffset
    else {
      if delayLearner.isSettled { conclude(at: exposure, offset, by: bias - reading.estimatedOffset) }
      return nil
    }
    if mode == .auto, corrections >= (delayLearner.isSure ? Self.mostCorrections : Self.manyCorrections) {
      fail("the picture's brightness does not come to rest")
      return nil
    }
    corrections += 1
    hasStepped = true
    awaited.set(next)
    delayLearner.set(
      isUnknown: !hasSeen.duration && next.hasOtherDuration(than: exposure)
        || !hasSeen.gain && next.hasOtherGain(than: exposure))
    return next
  }

  /// A picture that is off by at most this, in EV, is not corrected.
  static let settledOffset = 0.04
  /// An exposure at rest is corrected again once the picture is off by more than this, in EV.
  static let disturbingOffset = 0.1
  /// After this many corrections in one search, a picture that is off by at most ``disturbingOffset`` counts as right: the scene is unsteady.
  static let fewCorrections = 3
  /// Where the delay was not measured, auto mode fails after this many corrections: more would not bring the exposure to rest.
  static let manyCorrections = 14
  /// Where the delay was measured, auto mode fails after this many corrections. There every frame may be corrected: ``manyCorrections`` would be used
  /// up in a quarter of a second, while a hand passes, and in noise a search that ends right may need more of them.
  static let mostCorrections = 100
  /// If pictures do not show this many steps in a row, auto mode fails: the pictures do not follow the exposure. A single step may be hidden by a
  /// change of the light, or by the noise of a dark picture.
  static let manyUnanswered = 4
  /// If the picture is off by more than this, in EV, at the end of the camera's range, auto mode fails.
  static let failedOffset = 0.3
  /// The largest correction, in EV.
  static let largestStep = 4.0

  private mutating func restart() {
    guard mode != .locked else { return }
    isAdjusting = true
    (disturbed, corrections, reversals, unanswered, lastStep) = (0, 0, 0, 0, 0)
  }

  /// Ends a search that has nothing left to correct. Auto mode fails instead where the picture is far off at the end of the camera's range.
  private mutating func conclude(at exposure: Exposure, _ offset: Double, by stops: Double) {
    guard mode == .auto, abs(offset) > Self.failedOffset else { return settle() }
    if isAtEnd(exposure, of: offset) {
      // Even a calibrated camera is late at times. So the search fails only at rest: a later frame may be right.
      if delayLearner.isAtRest { fail(unanswered > 0 ? Self.noAnswer : Self.outOfReach(offset)) }
    } else if reversals > 1, possible(exposure, by: stops) != nil {
      // After overshooting, the corrections were damped, and are now too small to change anything. The next one is not damped.
      (corrections, reversals) = (corrections + 1, 0)
    } else {
      // The camera's steps are coarse, and no other exposure is nearer.
      settle()
    }
  }

  private mutating func settle() {
    isAdjusting = false
    disturbed = 0
    if mode == .auto { mode = .locked }
  }

  private mutating func fail(_ reason: String) {
    (mode, isAdjusting, failure) = (.locked, false, reason)
  }

  private static let noAnswer = "the picture does not answer to the exposure"

  private static func outOfReach(_ offset: Double) -> String {
    let tenths = (abs(offset) * 10).rounded() / 10
    return offset < 0
      ? "too dark: with the longest exposure and the most gain the picture is \(tenths) EV darker than wanted"
      : "too bright: with the shortest exposure and the least gain the picture is \(tenths) EV brighter than wanted"
  }

  /// Whether `exposure` is at that end of the camera's range that comes nearest to correcting `offset`.
  private func isAtEnd(_ exposure: Exposure, of offset: Double) -> Bool {
    limits.exposure(of: exposure.amount * (offset < 0 ? 64 : 1 / 64)).isAbout(exposure)
  }

  /// Whether the brightness has changed as the latest step should change it, compared with the frame that was judged last.
  private func showsStep(_ reading: ExposureMeter.Reading) -> Bool {
    guard !delayLearner.isSure, let judged, let (old, new) = step else { return false }
    let (expected, seen) = (new.stops(above: old), reading.offset - judged.reading.offset)
    guard abs(expected) > 0.3 else { return false }
    if reading.isClipped || judged.reading.isClipped {
      // A clipped picture does not show how large the change was. Where duration and gain both changed, one may show before the other, so the step is
      // not recognized.
      return new.hasOtherDuration(than: old) != new.hasOtherGain(than: old)
        && seen * (expected < 0 ? -1 : 1) > 0.3
    }
    return (0.7...1.4).contains(seen / expected)
  }

  /// Whether the picture has been off for long enough to correct it: for two frames if it is off by more than half a stop, otherwise for four.
  private mutating func isDisturbed(_ offset: Double, onlyLargeChanges: Bool) -> Bool {
    guard abs(offset) > (onlyLargeChanges ? 1 : Self.disturbingOffset) else {
      disturbed = 0
      return false
    }
    disturbed += 1
    return disturbed >= (abs(offset) > 0.5 ? 2 : 4)
  }

  /// The possible exposure that is `stops` higher; `nil` when it is the same one, so that nothing can be corrected.
  private mutating func correction(of exposure: Exposure, by stops: Double) -> Exposure? {
    if isAdjusting, lastStep * stops < 0 { reversals += 1 }
    lastStep = stops
    // If the corrections overshoot again and again, the light flickers, or the picture does not follow the exposure as it should. Then they get
    // smaller.
    let damping = reversals > 1 ? pow(0.6, Double(reversals - 1)) : 1
    return possible(exposure, by: stops * damping)
  }

  /// The possible exposure that is `stops` higher; `nil` when it is the same one.
  private func possible(_ exposure: Exposure, by stops: Double) -> Exposure? {
    let step = stops.clamped(to: -Self.largestStep...Self.largestStep)
    let next = limits.exposure(of: exposure.amount * exp2(step))
    return next.isAbout(exposure) && abs(next.stops(above: exposure)) < 0.02 ? nil : next
  }

  /// Whether the picture shows the change of exposure that this frame is believed to have. `false`: the change is assumed to come later. After some
  /// such frames the answer is `true` all the same.
  private mutating func hasMoved(_ exposure: Exposure, _ reading: ExposureMeter.Reading) -> Bool {
    if let judged, isAdjusting, !reading.isClipped, !judged.reading.isClipped {
      let expected = exposure.stops(above: judged.exposure)
      let seen = reading.offset - judged.reading.offset
      if abs(expected) > 0.3 {
        let isUnmoved = seen / expected < 0.15 && abs(seen) < 0.1
        if isUnmoved, delayLearner.isSure ? unmoved < 8 : delayLearner.rest <= DelayLearner.longestWait {
          unmoved += 1
          return false
        }
        unanswered = isUnmoved ? unanswered + 1 : 0
      }
    }
    unmoved = 0
    return true
  }
}
