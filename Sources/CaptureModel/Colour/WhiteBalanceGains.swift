/// What a camera multiplies its red, green and blue by so that grey comes out grey (AVFoundation's `WhiteBalanceGains`). The
/// smallest is 1: less would leave clipped highlights coloured.
public struct WhiteBalanceGains: Hashable, Sendable {
  public let red: Double
  public let green: Double
  public let blue: Double

  /// None: for light in which the camera sees grey as grey.
  public static let none = WhiteBalanceGains(red: 1, green: 1, blue: 1)

  /// Scales the three so that the smallest is 1, and takes each to `maximum` at most. They must be positive and finite.
  public init(red: Double, green: Double, blue: Double, maximum: Double = .infinity) {
    let smallest = min(red, green, blue)
    precondition(smallest > 0 && max(red, green, blue).isFinite, "gains are positive and finite")
    self.red = min(red / smallest, maximum)
    self.green = min(green / smallest, maximum)
    self.blue = min(blue / smallest, maximum)
  }

  /// That make `light` grey (`deviceWhiteBalanceGains(for:)`), each at most `maximum`.
  public init(for light: TemperatureAndTint, maximum: Double = .infinity) {
    self.init(greyIn: light.light, maximum: maximum)
  }

  /// That make grey of a thing that looks so without gains. Its channels must be positive.
  public init(greyIn light: LinearColor, maximum: Double = .infinity) {
    self.init(red: 1 / light.red, green: 1 / light.green, blue: 1 / light.blue, maximum: maximum)
  }

  /// Grey-world gains (`grayWorldDeviceWhiteBalanceGains`): those that make a picture's mean grey, when it was taken with
  /// `gains` and is `mean` now. `nil` of a picture that lacks a channel.
  public init?(greyWorld mean: LinearColor, takenWith gains: WhiteBalanceGains, maximum: Double = .infinity) {
    guard mean.isFinite, min(mean.red, mean.green, mean.blue) > 0 else { return nil }
    self.init(
      red: gains.red / mean.red, green: gains.green / mean.green, blue: gains.blue / mean.blue,
      maximum: maximum)
  }

  /// The light in which they make grey (`temperatureAndTintValues(for:)`). Gains that ran into a maximum give that of the light
  /// they are right for, not of the one they were made for.
  public var temperatureAndTint: TemperatureAndTint {
    // Gains are positive, so this light is never black.
    TemperatureAndTint(of: LinearColor(red: 1 / red, green: 1 / green, blue: 1 / blue))!
  }
}
