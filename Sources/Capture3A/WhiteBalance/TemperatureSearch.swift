import CaptureModel
import Glibc

/// Finds the temperature at which red and blue of grey are equal, on a camera whose gains are unknown. How the gains follow the temperature is
/// learned from pictures.
struct TemperatureSearch: Sendable {
  private var last: (kelvin: Double, redOverBlue: Double)?
  /// By how much red over blue changes with the temperature, as a multiple of the change on a camera with sRGB's primaries.
  private var response = 1.0

  /// The next temperature to try. `redOverBlue`: the logarithm of red over blue that grey had at `kelvin`.
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

  /// The logarithm of the gain of red over blue. It rises with the temperature: the bluer the light that shall look grey, the more red is added.
  private static func redOverBlueGain(at kelvin: Double) -> Double {
    let light = TemperatureAndTint(temperature: kelvin).light
    return log(light.blue / light.red)
  }

  private static func kelvin(forRedOverBlueGain gain: Double) -> Double {
    // The search goes by 1/T, in which the gain is nearly linear.
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
