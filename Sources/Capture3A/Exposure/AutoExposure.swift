import CaptureModel
import Glibc

/// Automatic exposure: sees how bright frames are, and computes the exposure to set.
///
/// A frame is judged only when it has the latest exposure, so that no delay makes the exposure swing. The frame's own exposure and its brightness tell
/// the right exposure at once; later frames that have it only correct for what clipped. Once the picture is right, it is left alone until it is off by
/// more than a tenth of a stop for several frames.
///
/// Where nobody measured which frames have which exposure, it waits until pictures show each step, and locks only an exposure that has been at rest
/// long enough for any camera. Auto mode reports what it cannot find (``failure``), whatever is known of the camera.
public struct AutoExposure: Sendable {
  public private(set) var mode = AutomaticMode.continuous
  public var meter: ExposureMeter { didSet { if meter != oldValue { restart() } } }
  /// EV that are added to what the meter finds right (`exposureTargetBias`).
  public var bias = 0.0 { didSet { if bias != oldValue { restart() } } }
  public var limits: ExposureLimits { didSet { if limits != oldValue { restart() } } }

  /// How much brighter than wanted the last frame was, in EV (`exposureTargetOffset`); `nil` before the first one.
  public private(set) var targetOffset: Double?
  /// Whether it is still adjusting (`isAdjustingExposure`).
  public private(set) var isAdjusting = true
  /// Why auto mode ended without the right exposure.
  public private(set) var failure: String?

  private var awaited: AwaitedSetting<Exposure>
  private var delayLearner: DelayLearner
  private var hasStepped = false
  private var observation: Observation?
  /// Whether pictures have shown how late a change of either is. A step of the other one alone may be too small to show.
  private var hasSeen: (duration: Bool, gain: Bool)
  /// The last frame that was judged.
  private var judged: (exposure: Exposure, reading: ExposureMeter.Reading)?
  /// How many frames in a row did not show the change that they are said to have.
  private var unmoved = 0
  /// How many steps in a row pictures did not show, on a camera whose delay was measured.
  private var unanswered = 0
  /// How many frames in a row were off since the exposure was at rest.
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

  /// Takes the exposure that the camera has when a search begins, so that earlier frames are not judged. It does nothing once something else was set.
  public mutating func begin(with exposure: Exposure) {
    guard !hasStepped, awaited.latest.map({ !$0.isAbout(exposure) }) ?? true else { return }
    awaited.set(exposure)
    delayLearner.set()
  }

  /// How surely it is known now which frames have which exposure.
  public var trust: DelayTrust { delayLearner.trust }

  /// Returns, once, how many frames later one of its steps showed than the frames' settings said, and what the step changed.
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

  /// Takes a frame that was taken with `known`, if that is known. `onlyLargeChanges`: another part needs a steady picture, so only a frame that is a stop off
  /// or more restarts it.
  /// - Returns: what to set; `nil`: nothing.
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

  /// How near is near enough to stop correcting, in EV.
  static let settledOffset = 0.04
  /// How far off starts it again, in EV.
  static let disturbingOffset = 0.1
  /// After this many corrections, less than ``disturbingOffset`` is right too: the scene is unsteady.
  static let fewCorrections = 3
  /// If this many corrections did not bring it to rest, more will not.
  static let manyCorrections = 14
  /// The same where the delay was measured. There every frame may be corrected: ``manyCorrections`` would be over in a quarter of a second, while a hand
  /// passes, and in noise a search that ends right may take more of them.
  static let mostCorrections = 100
  /// If pictures show none of so many steps, one after the other, they do not follow the exposure. One may hide behind a change of the light, or in the
  /// noise of a dark picture.
  static let manyUnanswered = 4
  /// If it is off by more than this, in EV, at the end of the camera's range, the exposure was not found.
  static let failedOffset = 0.3
  /// The largest correction, in EV.
  static let largestStep = 4.0

  private mutating func restart() {
    guard mode != .locked else { return }
    isAdjusting = true
    (disturbed, corrections, reversals, unanswered, lastStep) = (0, 0, 0, 0, 0)
  }

  /// Ends a search that has nothing to correct: what was not found is no result of auto mode.
  private mutating func conclude(at exposure: Exposure, _ offset: Double, by stops: Double) {
    guard mode == .auto, abs(offset) > Self.failedOffset else { return settle() }
    if isAtEnd(exposure, of: offset) {
      // A calibrated camera may be late at times, too. What it shows at last may be right.
      if delayLearner.isAtRest { fail(unanswered > 0 ? Self.noAnswer : Self.outOfReach(offset)) }
    } else if reversals > 1, possible(exposure, by: stops) != nil {
      // Overshooting has made the corrections too small to go on.
      (corrections, reversals) = (corrections + 1, 0)
    } else {
      // Of a camera with coarse steps no other exposure is nearer.
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

  /// Whether no exposure corrects more of `offset`.
  private func isAtEnd(_ exposure: Exposure, of offset: Double) -> Bool {
    limits.exposure(of: exposure.amount * (offset < 0 ? 64 : 1 / 64)).isAbout(exposure)
  }

  /// Whether the picture differs from the one that was judged last, in the way that the step since then should cause.
  private func showsStep(_ reading: ExposureMeter.Reading) -> Bool {
    guard !delayLearner.isSure, let judged, let (old, new) = step else { return false }
    let (expected, seen) = (new.stops(above: old), reading.offset - judged.reading.offset)
    guard abs(expected) > 0.3 else { return false }
    if reading.isClipped || judged.reading.isClipped {
      // The changes of two controls may show one after the other.
      return new.hasOtherDuration(than: old) != new.hasOtherGain(than: old)
        && seen * (expected < 0 ? -1 : 1) > 0.3
    }
    return (0.7...1.4).contains(seen / expected)
  }

  /// A large change counts at once; a small one counts if it lasts.
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
    // A picture that keeps overshooting flickers, or does not answer as light should. It is then corrected more slowly.
    let damping = reversals > 1 ? pow(0.6, Double(reversals - 1)) : 1
    return possible(exposure, by: stops * damping)
  }

  /// The possible exposure that is `stops` higher; `nil` when it is the same one.
  private func possible(_ exposure: Exposure, by stops: Double) -> Exposure? {
    let step = stops.clamped(to: -Self.largestStep...Self.largestStep)
    let next = limits.exposure(of: exposure.amount * exp2(step))
    return next.isAbout(exposure) && abs(next.stops(above: exposure)) < 0.02 ? nil : next
  }

  /// Whether the picture shows the change of exposure that this frame is said to have. If not, the change is taken to come late, for some frames.
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
