import CaptureModel

/// What a camera's white balance is set to.
public enum WhiteBalanceSetting: Hashable, Sendable {
  case gains(WhiteBalanceGains)
  /// In kelvin, of the light in which the camera makes grey (`V4L2_CID_WHITE_BALANCE_TEMPERATURE`).
  case temperature(Double)

  /// Its gains, of a temperature those that a camera with sRGB's primaries would have.
  public var gains: WhiteBalanceGains {
    switch self {
    case .gains(let gains): gains
    case .temperature(let kelvin): WhiteBalanceGains(for: TemperatureAndTint(temperature: kelvin))
    }
  }

  /// The same but for rounding.
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

/// What a camera lets the white balance be set with.
public enum WhiteBalanceActuator: Hashable, Sendable {
  /// `V4L2_CID_RED_BALANCE` and `V4L2_CID_BLUE_BALANCE`: what the gains of red and blue can be when green's is 1.
  case gains(red: ClosedRange<Double>, blue: ClosedRange<Double>)
  /// `V4L2_CID_WHITE_BALANCE_TEMPERATURE` alone, in kelvin; `step` 0: any.
  case temperature(ClosedRange<Double>, step: Double)
}

extension WhiteBalanceActuator {
  /// Where every light makes tolerable colours.
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
