extension LinearColor {
  /// Whether all three are numbers, and finite.
  public var isFinite: Bool { red.isFinite && green.isFinite && blue.isFinite }

  /// The light after a camera's gains.
  public static func * (light: LinearColor, gains: WhiteBalanceGains) -> LinearColor {
    LinearColor(red: light.red * gains.red, green: light.green * gains.green, blue: light.blue * gains.blue)
  }
}
