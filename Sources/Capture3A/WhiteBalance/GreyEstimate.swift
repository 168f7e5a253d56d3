import CaptureModel
import Glibc

/// What colour a picture makes of grey.
///
/// Grey is the colour that most zones are near to: zones that clip, that are nearly black or white, or that differ much from
/// the others, which is to say things that have a colour, do not count. A picture of one coloured thing is taken for grey.
public struct GreyEstimate: Hashable, Sendable {
  /// Red and blue against green, as natural logarithms: 0 is grey.
  public var red: Double
  public var blue: Double

  /// `nil` of a picture with too few zones that can be judged.
  public init?(_ frame: FrameStatistics) {
    let zones = frame.zones.compactMap(Self.colour)
    guard zones.count * 10 >= frame.zones.count else { return nil }
    red = Self.median(zones.map(\.red))
    blue = Self.median(zones.map(\.blue))
    for radius in [0.4, 0.4, 0.25, 0.25, 0.15, 0.15] { approach(zones, within: radius) }
  }

  /// Which makes grey of it, when the picture was taken with `gains`.
  func gains(takenWith gains: WhiteBalanceGains, maximum: Double) -> WhiteBalanceGains {
    WhiteBalanceGains(
      red: gains.red * exp(-red), green: gains.green, blue: gains.blue * exp(-blue), maximum: maximum)
  }

  private struct Colour {
    var red: Double
    var blue: Double
    var weight: Double
  }

  private static func colour(of zone: Zone) -> Colour? {
    let (light, darkest) = (zone.color, 0.001)
    guard zone.usable > 0.5, zone.white < 0.2, (0.01...0.9).contains(zone.luminance),
      min(light.red, light.green, light.blue) > darkest
    else { return nil }
    return Colour(
      red: log(light.red / light.green), blue: log(light.blue / light.green), weight: zone.usable)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// To the mean of the zones whose colours are near it, the nearer the more.
  private mutating func approach(_ zones: [Colour], within radius: Double) {
    var (sumRed, sumBlue, total) = (0.0, 0.0, 0.0)
    for zone in zones {
      let (dr, db) = (zone.red - red, zone.blue - blue)
      let weight = zone.weight * exp(-(dr * dr + db * db) / (2 * radius * radius))
      sumRed += zone.red * weight
      sumBlue += zone.blue * weight
      total += weight
    }
    guard total > 0 else { return }
    (red, blue) = (sumRed / total, sumBlue / total)
  }
}
