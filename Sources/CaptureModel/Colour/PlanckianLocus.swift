import Glibc

/// The colours of glowing black bodies by temperature, after Krystek (1985): within 0.0001 in u and v from 1000 K to 15000 K.
public enum PlanckianLocus {
  /// The range in which the approximation holds, in kelvin.
  public static let temperatures: ClosedRange<Double> = 1000...15000

  /// The colour of a black body of `temperature` kelvin, clamped to ``temperatures``.
  public static func chromaticity(at temperature: Double) -> Chromaticity {
    let t = temperature.clamped(to: temperatures)
    return Chromaticity(
      u: (0.860_117_757 + 1.541_182_54e-4 * t + 1.286_412_12e-7 * t * t)
        / (1 + 8.424_202_35e-4 * t + 7.081_451_63e-7 * t * t),
      v: (0.317_398_726 + 4.228_062_45e-5 * t + 4.204_816_91e-8 * t * t)
        / (1 - 2.897_418_16e-5 * t + 1.614_560_53e-7 * t * t))
  }

  /// The unit vector across the locus at `temperature`, towards green.
  static func normal(at temperature: Double) -> (u: Double, v: Double) {
    let step = temperature * 1e-4
    let inside = temperature.clamped(to: (temperatures.lowerBound + step)...(temperatures.upperBound - step))
    let warm = chromaticity(at: inside - step)
    let cold = chromaticity(at: inside + step)
    // From warm to cold light both u and v fall, and green lies to the right of that direction.
    let (du, dv) = (cold.u - warm.u, cold.v - warm.v)
    let length = (du * du + dv * dv).squareRoot()
    return (dv / length, -du / length)
  }

  /// The temperature whose black body looks most like `colour` (its correlated colour temperature), in ``temperatures``, and
  /// the distance from the locus (Duv), positive towards green.
  public static func nearest(to colour: Chromaticity) -> (temperature: Double, distance: Double) {
    // Equal steps of 1/T are about equal steps of colour.
    let mired = (1e6 / temperatures.upperBound)...(1e6 / temperatures.lowerBound)
    func squaredDistance(_ mired: Double) -> Double {
      let body = chromaticity(at: 1e6 / mired)
      let (du, dv) = (colour.u - body.u, colour.v - body.v)
      return du * du + dv * dv
    }
    let steps = 48
    let width = (mired.upperBound - mired.lowerBound) / Double(steps)
    let coarse = (0...steps).map { mired.lowerBound + Double($0) * width }
      .min { squaredDistance($0) < squaredDistance($1) }!
    var low = max(coarse - width, mired.lowerBound)
    var high = min(coarse + width, mired.upperBound)
    for _ in 0..<48 {
      let third = (high - low) / 3
      if squaredDistance(low + third) < squaredDistance(high - third) {
        high -= third
      } else {
        low += third
      }
    }
    let temperature = 1e6 / ((low + high) / 2)
    let body = chromaticity(at: temperature)
    let across = normal(at: temperature)
    return (temperature, (colour.u - body.u) * across.u + (colour.v - body.v) * across.v)
  }
}

extension Double {
  package func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
