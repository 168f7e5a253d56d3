/// The factors for a camera's red, green and blue that make grey look grey (AVFoundation's `WhiteBalanceGains`). The smallest is 1: a smaller one would
/// leave clipped highlights coloured.
public struct WhiteBalanceGains: Hashable, Sendable {
  /// 1 and more.
  public let red: Double
  /// 1 and more.
  public let green: Double
  /// 1 and more.
  public let blue: Double

  /// No gains: for light in which the camera sees grey as grey.
  public static let none = WhiteBalanceGains(red: 1, green: 1, blue: 1)

  /// `nil` unless all three are positive and finite. Scales them so that the smallest is 1.
  public init?(checking red: Double, _ green: Double, _ blue: Double) {
    guard min(red, green, blue) > 0, [red, green, blue].allSatisfy(\.isFinite) else { return nil }
    self.init(red: red, green: green, blue: blue)
  }

  /// Scales the three so that the smallest is 1, and limits each to `maximum`. They must be positive and finite.
  public init(red: Double, green: Double, blue: Double, maximum: Double = .infinity) {
    let smallest = min(red, green, blue)
    precondition(smallest > 0 && max(red, green, blue).isFinite, "gains are positive and finite")
    self.red = min(red / smallest, maximum)
    self.green = min(green / smallest, maximum)
    self.blue = min(blue / smallest, maximum)
  }

  /// The gains that make `light` grey (`deviceWhiteBalanceGains(for:)`), each at most `maximum`.
  public init(for light: TemperatureAndTint, maximum: Double = .infinity) {
    self.init(greyIn: light.light, maximum: maximum)
  }

  /// The gains that make a thing grey whose colour without gains is `light`. Its channels must be positive.
  public init(greyIn light: LinearColor, maximum: Double = .infinity) {
    self.init(red: 1 / light.red, green: 1 / light.green, blue: 1 / light.blue, maximum: maximum)
  }

  /// Grey-world gains (`grayWorldDeviceWhiteBalanceGains`): they make a picture's mean grey. The picture was taken with `gains`, and its mean is
  /// `mean`. `nil` for a picture that lacks a channel.
  public init?(greyWorld mean: LinearColor, takenWith gains: WhiteBalanceGains, maximum: Double = .infinity) {
    guard mean.isFinite, min(mean.red, mean.green, mean.blue) > 0 else { return nil }
    self.init(
      red: gains.red / mean.red, green: gains.green / mean.green, blue: gains.blue / mean.blue,
      maximum: maximum)
  }

  /// The light that these gains make grey (`temperatureAndTintValues(for:)`). If gains were limited to a maximum, this is the light for which they
  /// are right, not the one for which they were made.
  public var temperatureAndTint: TemperatureAndTint {
    // Gains are positive, so this light is never black.
    TemperatureAndTint(of: LinearColor(red: 1 / red, green: 1 / green, blue: 1 / blue))!
  }
}
