extension LinearColor {
  public var isFinite: Bool { red.isFinite && green.isFinite && blue.isFinite }

  /// Light through a camera's gains.
  public static func * (light: LinearColor, gains: WhiteBalanceGains) -> LinearColor {
    LinearColor(red: light.red * gains.red, green: light.green * gains.green, blue: light.blue * gains.blue)
  }
}
