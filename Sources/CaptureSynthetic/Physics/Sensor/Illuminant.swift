import Glibc

/// The light in the sensor's red, green and blue pixels, or a factor for each of them. Green is 1 in the colour of an illuminant.
package struct SensorColor: Hashable, Sendable {
  package var red: Double
  package var green: Double
  package var blue: Double

  static func * (color: SensorColor, factor: Double) -> SensorColor {
    SensorColor(red: color.red * factor, green: color.green * factor, blue: color.blue * factor)
  }

  static func * (a: SensorColor, b: SensorColor) -> SensorColor {
    SensorColor(red: a.red * b.red, green: a.green * b.green, blue: a.blue * b.blue)
  }

  static func + (a: SensorColor, b: SensorColor) -> SensorColor {
    SensorColor(red: a.red + b.red, green: a.green + b.green, blue: a.blue + b.blue)
  }

  static let white = SensorColor(red: 1, green: 1, blue: 1)
  static let black = SensorColor(red: 0, green: 0, blue: 0)

  /// The luminance with BT.709's weights.
  var luminance: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }
}

/// Light of a correlated colour temperature: a black body up to 4000 K, daylight from 5000 K on, and a mixture between.
package enum Illuminant {
  /// `kelvin`: 1700 to 25,000.
  package static func color(_ kelvin: Double) -> SensorColor {
    let part = min(max((kelvin - 4000) / 1000, 0), 1)
    let (a, b) = (blackBody(kelvin), daylight(max(kelvin, 4000)))
    return color(x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y))
  }

  /// The chromaticity of a black body. Source: Kim et al. 2002, "Design of advanced color temperature control system".
  private static func blackBody(_ kelvin: Double) -> (x: Double, y: Double) {
    let t = 1000 / kelvin
    let x =
      kelvin <= 4000
      ? -0.266_123_9 * t * t * t - 0.234_358_9 * t * t + 0.877_695_6 * t + 0.179_910
      : -3.025_846_9 * t * t * t + 2.107_037_9 * t * t + 0.222_634_7 * t + 0.240_390
    let y =
      kelvin <= 2222
      ? -1.106_381_4 * x * x * x - 1.348_110_20 * x * x + 2.185_558_32 * x - 0.202_196_83
      : kelvin <= 4000
        ? -0.954_947_6 * x * x * x - 1.374_185_93 * x * x + 2.091_370_15 * x - 0.167_488_67
        : 3.081_758_0 * x * x * x - 5.873_386_70 * x * x + 3.751_129_97 * x - 0.370_014_83
    return (x, y)
  }

  /// The chromaticity of daylight. Source: CIE 15.
  private static func daylight(_ kelvin: Double) -> (x: Double, y: Double) {
    let t = 1000 / kelvin
    let x =
      kelvin <= 7000
      ? -4.607_0 * t * t * t + 2.967_8 * t * t + 0.099_11 * t + 0.244_063
      : -2.006_4 * t * t * t + 1.901_8 * t * t + 0.247_48 * t + 0.237_040
    return (x, -3 * x * x + 2.87 * x - 0.275)
  }

  /// The colour by BT.709's primaries. Each channel gets some light of the other two, as real filters let it through.
  private static func color(x: Double, y: Double) -> SensorColor {
    let (X, Z) = (x / y, (1 - x - y) / y)
    let r = 3.240_454_2 * X - 1.537_138_5 - 0.498_531_4 * Z
    let g = -0.969_266_0 * X + 1.876_010_8 + 0.041_556_0 * Z
    let b = 0.055_643_4 * X - 0.204_025_9 + 1.057_225_2 * Z
    let red = 0.8 * r + 0.15 * g + 0.05 * b
    let green = 0.1 * r + 0.8 * g + 0.1 * b
    let blue = 0.05 * r + 0.2 * g + 0.75 * b
    return SensorColor(red: red / green, green: 1, blue: blue / green)
  }
}
