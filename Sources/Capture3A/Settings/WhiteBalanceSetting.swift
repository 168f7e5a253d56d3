import CaptureModel

/// A setting of a camera's white balance.
public enum WhiteBalanceSetting: Hashable, Sendable {
  case gains(WhiteBalanceGains)
  /// The temperature of the light that the camera makes grey, in kelvin (`V4L2_CID_WHITE_BALANCE_TEMPERATURE`).
  case temperature(Double)

  /// Its gains. For a temperature they are those of a camera with sRGB's primaries.
  public var gains: WhiteBalanceGains {
    switch self {
    case .gains(let gains): gains
    case .temperature(let kelvin): WhiteBalanceGains(for: TemperatureAndTint(temperature: kelvin))
    }
  }

  /// Whether both are the same except for rounding.
  func isAbout(_ other: WhiteBalanceSetting) -> Bool {
    switch (self, other) {
    case (.gains(let one), .gains(let other)):
      abs(one.red / one.green * other.green / other.red - 1) < 0.01
        && abs(one.blue / one.green * other.green / other.blue - 1) < 0.01
    case (.temperature(let one), .temperature(let other)): abs(one / other - 1) < 0.005
    default: false
    }
  }
}

/// The values with which a camera's white balance is set.
public enum WhiteBalanceActuator: Hashable, Sendable {
  /// `V4L2_CID_RED_BALANCE` and `V4L2_CID_BLUE_BALANCE`: the possible gains of red and blue when green's is 1.
  case gains(red: ClosedRange<Double>, blue: ClosedRange<Double>)
  /// `V4L2_CID_WHITE_BALANCE_TEMPERATURE` alone, in kelvin; `step` 0: any value.
  case temperature(ClosedRange<Double>, step: Double)
}

extension WhiteBalanceActuator {
  /// A setting with which every light gives tolerable colours.
  var neutral: WhiteBalanceSetting {
    switch self {
    case .gains(let red, let blue):
      .gains(WhiteBalanceGains(red: 1.0.clamped(to: red), green: 1, blue: 1.0.clamped(to: blue)))
    case .temperature(let range, let step):
      .temperature(
        (range.lowerBound + WhiteBalanceActuator.steps(to: 5000 - range.lowerBound, by: step)).clamped(
          to: range))
    }
  }

  private static func steps(to way: Double, by step: Double) -> Double {
    step > 0 ? (way / step).rounded() * step : way
  }
}
