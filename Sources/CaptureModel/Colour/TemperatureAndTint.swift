/// A light's colour in a photographer's terms (AVFoundation's `WhiteBalanceTemperatureAndTintValues`).
public struct TemperatureAndTint: Hashable, Sendable {
  /// Correlated colour temperature in kelvin: 2500 is a candle's orange, 6500 daylight, 8000 a blue shade.
  public var temperature: Double
  /// -150 to 150. A positive tint means that the light is greener than a black body's; it makes the picture more magenta.
  public var tint: Double

  /// The range of temperatures that a client may ask for, in kelvin.
  public static let temperatures: ClosedRange<Double> = 1500...15000
  /// The range of tints that a client may ask for.
  public static let tints: ClosedRange<Double> = -150...150

  /// The tint for one unit of distance from the Planckian locus in CIE 1960 coordinates: a tint of 150 is a distance of 0.05, as in raw converters.
  static let tintPerDistance = 3000.0

  public init(temperature: Double, tint: Double = 0) {
    self.temperature = temperature
    self.tint = tint
  }

  /// The values that describe a light; `nil` for black. Values outside ``temperatures`` and ``tints`` become the nearest ones inside.
  public init?(of light: LinearColor) {
    guard let colour = Chromaticity(light) else { return nil }
    let (temperature, distance) = PlanckianLocus.nearest(to: colour)
    self.init(
      temperature: temperature.clamped(to: Self.temperatures),
      tint: (distance * Self.tintPerDistance).clamped(to: Self.tints))
  }

  /// The light that the values describe, as linear sRGB of luminance 1. Each channel is at least a thousandth of the largest, also where sRGB cannot
  /// show the colour (below 1900 K and at the green and magenta ends).
  public var light: LinearColor {
    let body = PlanckianLocus.chromaticity(at: temperature)
    let across = PlanckianLocus.normal(at: temperature)
    let distance = tint / Self.tintPerDistance
    let light = Chromaticity(u: body.u + across.u * distance, v: body.v + across.v * distance).light
    let floor = max(light.red, light.green, light.blue) / 1000
    return LinearColor(
      red: max(light.red, floor), green: max(light.green, floor), blue: max(light.blue, floor))
  }
}
