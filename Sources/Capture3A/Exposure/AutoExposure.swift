import CaptureModel
import Glibc

/// Automatic exposure: sees how bright frames are, and says what to expose with.
///
/// A frame is judged only when it has the latest exposure, so that no delay makes it swing: from the frame's own exposure and its brightness
/// follows the right exposure at once, and the next frames that have it only correct what clipped. Once the picture is right, it is left alone
/// until it is off by more than a tenth of a stop for several frames.
public struct AutoExposure: Sendable {
  public private(set) var mode = AutomaticMode.continuous
  public var meter: ExposureMeter { didSet { if meter != oldValue { restart() } } }
  /// EV to add to what the meter finds right (`exposureTargetBias`).
  public var bias = 0.0 { didSet { if bias != oldValue { restart() } } }
  public var limits: ExposureLimits { didSet { if limits != oldValue { restart() } } }

  /// How much brighter than wanted the last frame was, in EV (`exposureTargetOffset`); `nil` before the first one.
  public private(set) var targetOffset: Double?
  /// Not yet right (`isAdjustingExposure`).
  public private(set) var isAdjusting = true

  private var awaited: AwaitedSetting<Exposure>
  private var judged: (exposure: Exposure, reading: ExposureMeter.Reading)?
  private var unmoved = 0
  private var disturbed = 0
  private var corrections = 0
  private var reversals = 0
  private var lastStep = 0.0

  /// `assumedDelay`: frames between a setting and the first frame that has it, for frames of which that is not known.
  public init(limits: ExposureLimits, meter: ExposureMeter = ExposureMeter(), assumedDelay: Int = 3) {
    self.limits = limits
    self.meter = meter
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
  }

  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    if mode == .locked { isAdjusting = false } else { restart() }
  }

  /// A frame came, taken with `known` if that is known. `reluctant`: something else needs a steady picture; only a frame that is a stop off
  /// or more disturbs what was found right.
  /// - Returns: what to set, if anything.
  public mutating func observe(_ frame: FrameStatistics, takenWith known: Exposure?, reluctant: Bool = false)
    -> Exposure?
  {
    let reading = meter.reading(of: frame)
    let offset = reading.offset - bias
    targetOffset = offset
    guard let exposure = awaited.settingOfFrame(known: known), mode != .locked,
      awaited.isLatest(exposure, { $0.isAbout($1) }), hasMoved(exposure, reading)
    else { return nil }
    judged = (exposure, reading)
    let next = correction(of: exposure, by: bias - reading.estimatedOffset)
    if !isAdjusting {
      guard isDisturbed(offset, reluctant: reluctant), next != nil else { return nil }
      restart()
    }
    guard let next, abs(offset) > Self.right, corrections < Self.fewCorrections || abs(offset) > Self.wrong
    else {
      settle()
      return nil
    }
    corrections += 1
    awaited.set(next)
    return next
  }

  /// Near enough to stop correcting, in EV.
  static let right = 0.04
  /// Far enough off to start again, in EV.
  static let wrong = 0.1
  /// After these, being less than ``wrong`` off is right too: the scene is unsteady.
  static let fewCorrections = 3
  /// The largest correction, in EV.
  static let largestStep = 4.0

  private mutating func restart() {
    guard mode != .locked else { return }
    isAdjusting = true
    (disturbed, corrections, reversals, lastStep) = (0, 0, 0, 0)
  }

  private mutating func settle() {
    isAdjusting = false
    disturbed = 0
    if mode == .auto { mode = .locked }
  }

  /// A large change counts at once, a small one when it lasts.
  private mutating func isDisturbed(_ offset: Double, reluctant: Bool) -> Bool {
    guard abs(offset) > (reluctant ? 1 : Self.wrong) else {
      disturbed = 0
      return false
    }
    disturbed += 1
    return disturbed >= (abs(offset) > 0.5 ? 2 : 4)
  }

  /// The possible exposure that is `stops` above; `nil` when it is the same, so that nothing can be corrected.
  private mutating func correction(of exposure: Exposure, by stops: Double) -> Exposure? {
    if isAdjusting, lastStep * stops < 0 { reversals += 1 }
    lastStep = stops
    // What keeps overshooting does not answer as light should, or flickers: slower then.
    let damping = reversals > 1 ? pow(0.6, Double(reversals - 1)) : 1
    let step = (stops * damping).clamped(to: -Self.largestStep...Self.largestStep)
    let next = limits.exposure(of: exposure.amount * exp2(step))
    return next.isAbout(exposure) && abs(next.stops(above: exposure)) < 0.02 ? nil : next
  }

  /// Whether the picture shows the change of exposure that this frame is said to have. For some frames it is believed to come late.
  private mutating func hasMoved(_ exposure: Exposure, _ reading: ExposureMeter.Reading) -> Bool {
    if let judged, isAdjusting, !reading.isClipped, !judged.reading.isClipped, unmoved < 8 {
      let expected = exposure.stops(above: judged.exposure)
      let seen = reading.offset - judged.reading.offset
      if abs(expected) > 0.3, seen / expected < 0.15, abs(seen) < 0.1 {
        unmoved += 1
        return false
      }
    }
    unmoved = 0
    return true
  }
}
