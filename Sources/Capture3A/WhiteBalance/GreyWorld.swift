import CaptureModel
import Glibc

/// Automatic white balance: measures which colour grey has, and computes gains or a temperature that make it grey.
///
/// As ``AutoExposure`` does, it judges only frames that have the latest setting, corrects at once by what they show, and then leaves the white
/// balance alone until grey is off by more than 2 % for several frames. Where nobody measured which frames have which setting, it uses a
/// ``DelayLearner`` too. If auto mode does not find grey, ``failure`` says why.
public struct GreyWorld: Sendable {
  public private(set) var mode = AutomaticMode.continuous
  public let actuator: WhiteBalanceActuator
  /// Whether a search for grey is under way (`isAdjustingWhiteBalance`).
  public private(set) var isAdjusting = true
  /// The gains that make grey of the latest frame in which grey was found (`grayWorldDeviceWhiteBalanceGains`).
  public private(set) var greyWorldGains: WhiteBalanceGains?

  /// Why auto mode ended without finding grey.
  public private(set) var failure: String?

  private var awaited: AwaitedSetting<WhiteBalanceSetting>
  private var delayLearner: DelayLearner
  private var hasStepped = false
  private var judged: (gains: WhiteBalanceGains, grey: GreyEstimate)?
  /// How many frames in a row have shown no grey.
  private var blind = 0
  private var hasTriedNeutral = false
  /// The setting from before ``WhiteBalanceActuator/neutral`` was tried because frames showed no grey.
  private var beforeNeutral: WhiteBalanceSetting?
  private var disturbed = 0
  private var corrections = 0
  private var search: TemperatureSearch

  public init(actuator: WhiteBalanceActuator, assumedDelay: Int = 3, trust: DelayTrust = .calibrated) {
    delayLearner = DelayLearner(trust)
    self.actuator = actuator
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
    search = TemperatureSearch()
  }

  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    (failure, hasStepped, hasTriedNeutral, beforeNeutral) = (nil, false, false, nil)
    if mode == .locked { isAdjusting = false } else { restart() }
  }

  /// Tells which setting the camera has when a search begins, so that earlier frames are not judged. The call does nothing once the search has set
  /// one.
  public mutating func begin(with setting: WhiteBalanceSetting) {
    guard !hasStepped, awaited.latest.map({ !$0.isAbout(setting) }) ?? true else { return }
    awaited.set(setting)
    delayLearner.set()
  }

  /// Takes over from a search that was trying the neutral setting, and remembers the setting from before that.
  mutating func resume(from former: GreyWorld?) {
    guard let former, former.beforeNeutral != nil else { return }
    (hasTriedNeutral, beforeNeutral) = (true, former.beforeNeutral)
  }

  /// Returns an observation that was not returned before: by how many frames a step showed later than the frames' settings said.
  public mutating func takeObservation() -> Int? { delayLearner.takeObservation() }

  /// Judges a frame. `known`: the setting with which it was taken; `nil`: unknown. `isPaused`: nothing may change now.
  /// - Returns: the setting to set; `nil`: none.
  public mutating func observe(
    _ frame: FrameStatistics, takenWith known: WhiteBalanceSetting?, isPaused: Bool = false
  ) -> WhiteBalanceSetting? {
    guard let setting = awaited.settingOfFrame(known: known) else { return nil }
    // At rest a picture counts as too bright a little sooner, and is then left alone. So a picture near the limit does not begin a search again and
    // again.
    let estimate = GreyEstimate(frame, mostOffset: GreyEstimate.tooBright - (isAdjusting ? 0 : Self.margin))
    if let estimate { greyWorldGains = estimate.gains(takenWith: setting.gains) }
    let isLatest = awaited.isLatest(setting) { $0.isAbout($1) }
    delayLearner.frame(frame.sequence, isBelieved: isLatest, shows: showsStep(estimate))
    guard isLatest, delayLearner.isReady, mode != .locked, !isPaused else { return nil }
    guard let grey = estimate else { return blindStep(from: setting) }
    (blind, judged, beforeNeutral) = (0, (setting.gains, grey), nil)
    let error = error(of: grey)
    let next = correction(of: setting, seeing: grey)
    if !isAdjusting {
      guard isDisturbed(error), next != nil else { return nil }
      restart()
    }
    guard let next, error > Self.settledError,
      corrections < Self.fewCorrections || error > Self.disturbingError
    else {
      guard delayLearner.isSettled else { return nil }
      guard mode == .auto, error > failedError(at: setting) else {
        settle()
        return nil
      }
      // Even a calibrated camera is late at times. So the search fails only at rest: a later frame may be right.
      if delayLearner.isAtRest {
        fail("nothing that the camera's white balance can be set to makes grey of this light")
      }
      return nil
    }
    if mode == .auto, corrections >= (delayLearner.isSure ? Self.mostCorrections : Self.manyCorrections) {
      fail("the picture's colour does not come to rest")
      return nil
    }
    return step(to: next)
  }

  private mutating func step(to next: WhiteBalanceSetting) -> WhiteBalanceSetting {
    corrections += 1
    hasStepped = true
    awaited.set(next)
    delayLearner.set()
    return next
  }

  /// The step after a frame without grey. After ``fewBlind`` such frames the neutral setting is tried: the present one may be far from that of any
  /// light.
  private mutating func blindStep(from setting: WhiteBalanceSetting) -> WhiteBalanceSetting? {
    guard isAdjusting else {
      disturbed = 0
      return nil
    }
    blind += 1
    if blind >= Self.fewBlind, !hasTriedNeutral {
      hasTriedNeutral = true
      let neutral = actuator.neutral
      if !neutral.isAbout(setting) {
        beforeNeutral = setting
        return step(to: neutral)
      }
    }
    guard blind >= DelayLearner.longestWait else { return nil }
    if mode == .auto {
      fail("nothing in the picture tells what grey is: it is too dark, too bright or of strong colours")
    } else {
      settle()
      if let before = beforeNeutral.take() { return step(to: before) }
    }
    return nil
  }

  private mutating func fail(_ reason: String) {
    (mode, isAdjusting, failure) = (.locked, false, reason)
  }

  /// Whether grey has changed as the latest step should change it, compared with the frame that was judged last.
  private func showsStep(_ grey: GreyEstimate?) -> Bool {
    guard !delayLearner.isSure, hasStepped, let grey, let judged, let latest = awaited.latest?.gains else {
      return false
    }
    func change(_ channel: KeyPath<WhiteBalanceGains, Double>) -> Double {
      log(latest[keyPath: channel] / latest.green * judged.gains.green / judged.gains[keyPath: channel])
    }
    let (red, blue) = (change(\.red), change(\.blue))
    let (expected, seen) =
      abs(red) > abs(blue) ? (red, grey.red - judged.grey.red) : (blue, grey.blue - judged.grey.blue)
    return abs(expected) > 0.1 && (0.6...1.7).contains(seen / expected)
  }

  /// A white balance that is off by at most this is not corrected. Errors are natural logarithms of ratios of channels: 0.01 is about 1 %.
  static let settledError = 0.008
  /// A white balance at rest is corrected again once it is off by more than this.
  static let disturbingError = 0.02
  /// After this many corrections in one search, a white balance that is off by at most ``disturbingError`` counts as right.
  static let fewCorrections = 6
  /// Where the delay was not measured, auto mode fails after this many corrections: more would not bring the white balance to rest.
  static let manyCorrections = 16
  /// Where the delay was measured, auto mode fails after this many corrections. There every frame may be corrected, and in noise a search that ends
  /// right may need more than ``manyCorrections``.
  static let mostCorrections = 100
  /// Auto mode fails if grey stays off by more than this: that is more than coarse steps explain.
  static let failedError = 0.035
  /// At rest a picture counts as too bright this much sooner, in EV.
  static let margin = 0.1
  /// After this many frames without grey the neutral setting is tried.
  static let fewBlind = 4

  private mutating func restart() {
    guard mode != .locked else { return }
    isAdjusting = true
    (disturbed, corrections, blind) = (0, 0, 0)
    search = TemperatureSearch()
  }

  private mutating func settle() {
    isAdjusting = false
    disturbed = 0
    if mode == .auto { mode = .locked }
  }

  /// How far grey is off, as a natural logarithm. Only what the actuator can change counts.
  private func error(of grey: GreyEstimate) -> Double {
    switch actuator {
    case .gains: max(abs(grey.red), abs(grey.blue), abs(grey.red - grey.blue))
    case .temperature: abs(grey.red - grey.blue)
    }
  }

  /// If grey is off by more than this and nothing better can be set, auto mode fails. With coarse steps of the temperature, the nearest one may be
  /// off by more than ``failedError``.
  private func failedError(at setting: WhiteBalanceSetting) -> Double {
    guard case .temperature(_, let step) = actuator, case .temperature(let kelvin) = setting else {
      return Self.failedError
    }
    let (here, next) = (setting.gains, WhiteBalanceSetting.temperature(kelvin + step).gains)
    return max(Self.failedError, abs(log(here.red / here.blue * next.blue / next.red)))
  }

  private mutating func isDisturbed(_ error: Double) -> Bool {
    disturbed = error > Self.disturbingError ? disturbed + 1 : 0
    return disturbed >= (error > 0.2 ? 3 : 5)
  }

  /// The setting that makes `grey` grey, as far as the actuator can; `nil`: nothing better can be set.
  private mutating func correction(of setting: WhiteBalanceSetting, seeing grey: GreyEstimate)
    -> WhiteBalanceSetting?
  {
    let next: WhiteBalanceSetting
    switch actuator {
    case .gains(let red, let blue):
      next = .gains(grey.gains(takenWith: setting.gains, red: red, blue: blue))
      if case .gains(let one) = setting, case .gains(let other) = next,
        abs(other.red / one.red * one.green / other.green - 1) < 0.003,
        abs(other.blue / one.blue * one.green / other.green - 1) < 0.003
      {
        return nil
      }
    case .temperature(let range, let step):
      guard case .temperature(let kelvin) = setting else { return nil }
      let wanted = search.next(after: kelvin, redOverBlue: grey.red - grey.blue).clamped(to: range)
      let steps = step > 0 ? ((wanted - range.lowerBound) / step).rounded() * step : wanted - range.lowerBound
      next = .temperature((range.lowerBound + steps).clamped(to: range))
      if next == setting { return nil }
    }
    return next
  }
}
