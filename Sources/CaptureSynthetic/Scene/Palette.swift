/// A colour of the scene, components 0…1.
struct Color {
  var red: Double
  var green: Double
  var blue: Double

  init(_ hex: UInt32) {
    red = Double(hex >> 16 & 255) / 255
    green = Double(hex >> 8 & 255) / 255
    blue = Double(hex & 255) / 255
  }

  private init(_ red: Double, _ green: Double, _ blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// A mixture of two colours: `part` 0 gives this colour, 1 the other.
  func mixed(with other: Color, _ part: Double) -> Color {
    Color(
      red + (other.red - red) * part, green + (other.green - green) * part,
      blue + (other.blue - blue) * part)
  }

  /// The colour as a bitmap's pixel, premultiplied.
  func pixel(alpha: Double = 1) -> UInt32 {
    func byte(_ value: Double) -> UInt32 { UInt32(max(0, min(255, value * alpha * 255 + 0.5))) }
    return byte(1) << 24 | byte(red) << 16 | byte(green) << 8 | byte(blue)
  }
}

enum Palette {
  static let sky: [(at: Double, color: Color)] = [
    (0, Color(0x16214D)), (0.35, Color(0x4A4A8F)), (0.6, Color(0xB56A94)), (0.8, Color(0xF7A072)),
    (1, Color(0xFFD9A0)),
  ]
  static let sun = Color(0xFFF4D0)
  /// The hills' colours, from far to near.
  static let hills = [Color(0x8A6596), Color(0x564A80), Color(0x2F325F), Color(0x171C3B)]
  static let balloon = [Color(0xE4572E), Color(0xFFF1D0), Color(0xF3A712), Color(0x2E86AB)]
  static let basket = Color(0x6B4226)
  static let text = Color(0xFFFFFF)
  static let accent = Color(0xFFC857)
  static let dark = Color(0x0A0E1F)
  static let light = Color(0xF5F5F5)
  /// 75 % bars, in the order of their luma.
  static let bars: [Color] = [
    Color(0xBFBFBF), Color(0xBFBF00), Color(0x00BFBF), Color(0x00BF00), Color(0xBF00BF), Color(0xBF0000),
    Color(0x0000BF), Color(0x101010),
  ]

  /// The sky from the zenith (0) to the horizon (1).
  static func sky(_ at: Double) -> Color {
    for (upper, lower) in zip(sky, sky.dropFirst()) where at <= lower.at {
      return upper.color.mixed(with: lower.color, (at - upper.at) / (lower.at - upper.at))
    }
    return sky[sky.count - 1].color
  }
}
