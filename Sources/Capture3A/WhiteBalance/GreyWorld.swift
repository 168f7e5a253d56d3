import CaptureModel
import Glibc

/// Automatic white balance: sees what colour grey has, and says what gains or temperature make it grey.
///
/// As ``AutoExposure`` it judges only frames that have the latest setting, corrects by what they show at once, and then leaves
/// the picture alone until it is off by more than 2 % for several frames.
public struct GreyWorld: Sendable {
  public private(set) var mode = AutomaticMode.continuous
  public let actuator: WhiteBalanceActuator
  /// Not yet right (`isAdjustingWhiteBalance`).
  public private(set) var isAdjusting = true
  /// What made the last frame's grey grey, if it had any; what `grayWorldDeviceWhiteBalanceGains` is.
  public private(set) var greyWorldGains: WhiteBalanceGains?

  private var awaited: AwaitedSetting<WhiteBalanceSetting>
  private var disturbed = 0
  private var corrections = 0
  private var search: TemperatureSearch

  public init(actuator: WhiteBalanceActuator, assumedDelay: Int = 3) {
    self.actuator = actuator
    awaited = AwaitedSetting(assumedDelay: assumedDelay)
    search = TemperatureSearch()
  }

  public mutating func set(_ mode: AutomaticMode) {
    self.mode = mode
    awaited.forget()
    if mode == .locked { isAdjusting = false } else { restart() }
  }

  /// A frame came, taken with `known` if that is known. `hold`: nothing is to change now.
  /// - Returns: what to set, if anything.
  public mutating func observe(
    _ frame: FrameStatistics, takenWith known: WhiteBalanceSetting?, hold: Bool = false
  ) -> WhiteBalanceSetting? {
    guard let setting = awaited.settingOfFrame(known: known), let grey = GreyEstimate(frame) else {
      return nil
    }
    greyWorldGains = grey.gains(takenWith: setting.gains)
    guard mode != .locked, !hold, awaited.isLatest(setting, { $0.isAbout($1) }) else { return nil }
    let error = error(of: grey)
    let next = correction(of: setting, seeing: grey)
    if !isAdjusting {
      guard isDisturbed(error), next != nil else { return nil }
      restart()
    }
    guard let next, error > Self.right, corrections < Self.fewCorrections || error > Self.wrong else {
      settle()
      return nil
    }
    corrections += 1
    awaited.set(next)
    return next
  }

  /// Ratios of channels off by less are right.
  static let right = 0.008
  /// Off by more they are wrong.
  static let wrong = 0.02
  static let fewCorrections = 6

  private mutating func restart() {
    guard mode != .locked else { return }
    isAdjusting = true
    (disturbed, corrections) = (0, 0)
    search = TemperatureSearch()
  }

  private mutating func settle() {
    isAdjusting = false
    disturbed = 0
    if mode == .auto { mode = .locked }
  }

  /// How far grey is from grey, in what the actuator can change.
  private func error(of grey: GreyEstimate) -> Double {
    switch actuator {
    case .gains: max(abs(grey.red), abs(grey.blue), abs(grey.red - grey.blue))
    case .temperature: abs(grey.red - grey.blue)
    }
  }

  private mutating func isDisturbed(_ error: Double) -> Bool {
    disturbed = error > Self.wrong ? disturbed + 1 : 0
    return disturbed >= (error > 0.2 ? 3 : 5)
  }

  /// `nil` when nothing better can be set.
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
