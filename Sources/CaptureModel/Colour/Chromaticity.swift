/// A colour without its brightness, in CIE 1960 UCS coordinates, in which distances from the Planckian locus are defined.
public struct Chromaticity: Hashable, Sendable {
  public var u: Double
  public var v: Double

  public init(u: Double, v: Double) {
    self.u = u
    self.v = v
  }

  /// The colour of linear sRGB light; `nil` for black, and where a channel is not a number.
  public init?(_ light: LinearColor) {
    let x = 0.412_390_8 * light.red + 0.357_584_3 * light.green + 0.180_480_8 * light.blue
    let y = 0.212_639_0 * light.red + 0.715_168_7 * light.green + 0.072_192_3 * light.blue
    let z = 0.019_330_8 * light.red + 0.119_194_8 * light.green + 0.950_532_2 * light.blue
    let sum = x + 15 * y + 3 * z
    guard sum > 0, sum.isFinite else { return nil }
    self.init(u: 4 * x / sum, v: 6 * y / sum)
  }

  /// The colour as linear sRGB light of luminance 1. A channel is negative where sRGB cannot show the colour.
  public var light: LinearColor {
    let x = 1.5 * u / v
    let z = (2 - 0.5 * u - 5 * v) / v
    return LinearColor(
      red: 3.240_969_9 * x - 1.537_383_2 - 0.498_610_8 * z,
      green: -0.969_243_6 * x + 1.875_967_5 + 0.041_555_1 * z,
      blue: 0.055_630_1 * x - 0.203_977_0 + 1.056_971_5 * z)
  }
}
