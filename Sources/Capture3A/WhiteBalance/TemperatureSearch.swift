import CaptureModel
import Glibc

/// Finds the temperature at which red and blue of grey are equal, on a camera whose gains are not known but by what a change of the
/// temperature does to the picture.
struct TemperatureSearch: Sendable {
  private var last: (kelvin: Double, redOverBlue: Double)?
  /// How much red over blue changes in the picture, against what a camera with sRGB's primaries would do.
  private var response = 1.0

  /// The temperature to try after one that gave a grey whose red over blue, as a logarithm, is `redOverBlue`.
  mutating func next(after kelvin: Double, redOverBlue: Double) -> Double {
    let gain = Self.redOverBlueGain(at: kelvin)
    if let last {
      let expected = gain - Self.redOverBlueGain(at: last.kelvin)
      let seen = redOverBlue - last.redOverBlue
      if abs(expected) > 0.02 { response = (seen / expected).clamped(to: 0.4...2.5) }
    }
    last = (kelvin, redOverBlue)
    return Self.kelvin(forRedOverBlueGain: gain - redOverBlue / response)
  }

  /// Rises with the temperature: the colder the light that is made grey, the more red is added.
  private static func redOverBlueGain(at kelvin: Double) -> Double {
    let light = TemperatureAndTint(temperature: kelvin).light
    return log(light.blue / light.red)
  }

  private static func kelvin(forRedOverBlueGain gain: Double) -> Double {
    // In 1/T, in which the gain is nearly linear.
    var (cold, warm) = (
      1e6 / TemperatureAndTint.temperatures.upperBound, 1e6 / TemperatureAndTint.temperatures.lowerBound
    )
    for _ in 0..<40 {
      let middle = (cold + warm) / 2
      if redOverBlueGain(at: 1e6 / middle) > gain { cold = middle } else { warm = middle }
    }
    return 2e6 / (cold + warm)
  }
}
