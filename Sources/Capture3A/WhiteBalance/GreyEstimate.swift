import CaptureModel
import Glibc

/// The colour that grey has in a picture.
///
/// The mean of all zones is taken as grey, except for zones that clip, that are nearly black or white, or whose colour is far from that of the
/// others. A picture of a single coloured thing counts as grey.
public struct GreyEstimate: Hashable, Sendable {
  /// Red and blue relative to green, as natural logarithms: 0 is grey.
  public var red: Double
  public var blue: Double

  /// `nil` for a picture that has too few usable zones, or that is overexposed. `mostOffset`: a picture that clips is overexposed if it is more than
  /// this many EV brighter than middle grey.
  public init?(_ frame: FrameStatistics, mostOffset: Double = tooBright) {
    guard !Self.isOverexposed(frame, mostOffset) else { return nil }
    let zones = frame.zones.filter(Self.canBeJudged).map { (colour: Self($0.color), zone: $0) }
    guard zones.count * 10 >= frame.zones.count else { return nil }
    red = Self.median(zones.map(\.colour.red))
    blue = Self.median(zones.map(\.colour.blue))
    for _ in 0..<4 {
      var sum = LinearColor(red: 0, green: 0, blue: 0)
      for (colour, zone) in zones {
        let weight = zone.usable * Self.weight(distance: hypot(colour.red - red, colour.blue - blue))
        sum.red += zone.color.red * weight
        sum.green += zone.color.green * weight
        sum.blue += zone.color.blue * weight
      }
      guard sum.green > 0 else { return }
      self = Self(sum)
    }
  }

  /// Whether a picture is so bright that its bright parts clip. The mean of its other parts is not grey.
  static func isOverexposed(_ frame: FrameStatistics, _ mostOffset: Double = tooBright) -> Bool {
    let clipped = frame.zones.count { $0.white >= Self.mostWhite }
    return Double(clipped) > Self.mostClipped * Double(frame.zones.count)
      && ExposureMeter().reading(of: frame).offset > mostOffset
  }
  /// A zone clips if at least this part of its pixels, 0 to 1, is white.
  private static let mostWhite = 0.2
  /// A picture may be overexposed if more than this part of its zones, 0 to 1, clips. Where fewer clip, grey is off by less than 3 %.
  private static let mostClipped = 0.03
  /// A picture that clips is overexposed if it is brighter than this, in EV from middle grey. In darker pictures lamps and windows clip, too, but the
  /// rest is usable.
  public static let tooBright = 1.0

  private init(_ light: LinearColor) {
    (red, blue) = (log(light.red / light.green), log(light.blue / light.green))
  }

  /// The gains that make this colour grey if the picture was taken with `gains`. They are relative to green. `red`, `blue`: the possible gains.
  func gains(
    takenWith gains: WhiteBalanceGains, red: ClosedRange<Double> = 1e-6...1e6,
    blue: ClosedRange<Double> = 1e-6...1e6
  ) -> WhiteBalanceGains {
    WhiteBalanceGains(
      red: (gains.red / gains.green * exp(-self.red)).clamped(to: red), green: 1,
      blue: (gains.blue / gains.green * exp(-self.blue)).clamped(to: blue))
  }

  private static func canBeJudged(_ zone: Zone) -> Bool {
    zone.usable > 0.5 && zone.white < mostWhite && (0.01...0.9).contains(zone.luminance)
      && min(zone.color.red, zone.color.green, zone.color.blue) > 0.001
  }

  /// The weight of a zone: 0 for one that is four times redder or bluer than the others. White balance gains shift the
  /// colours of all zones by the same amount, so they do not change the weights.
  private static func weight(distance: Double) -> Double { ((1.45 - distance) / 0.3).clamped(to: 0...1) }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
