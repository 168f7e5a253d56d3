import CaptureModel
import Glibc

/// The exposures that a camera can make, and which of them are preferred.
public struct ExposureLimits: Hashable, Sendable {
  /// The possible durations. The shortest is more than zero.
  public var durations: ClosedRange<Duration>
  /// The difference between a possible duration and the next one; zero: any duration is possible. For `V4L2_CID_EXPOSURE_ABSOLUTE` it is 100 µs.
  public var durationStep: Duration
  /// The possible gains, linear; `1...1` where the camera has no gain.
  public var gains: ClosedRange<Double>
  /// The difference between a possible gain and the next one; 0: any gain is possible.
  public var gainStep: Double
  /// The duration above which gain is raised instead: the frame interval, so that the rate holds, or less against motion blur.
  public var longest: Duration?
  /// The period of light from the mains, 1/100 s or 1/120 s. Longer durations are multiples of it, so that no bands show.
  public var flickerPeriod: Duration?

  public init(
    durations: ClosedRange<Duration>, durationStep: Duration = .zero, gains: ClosedRange<Double> = 1...1,
    gainStep: Double = 0, longest: Duration? = nil, flickerPeriod: Duration? = nil
  ) {
    precondition(durations.lowerBound > .zero && gains.lowerBound > 0, "no exposure is zero")
    self.durations = durations
    self.durationStep = durationStep
    self.gains = gains
    self.gainStep = gainStep
    self.longest = longest
    self.flickerPeriod = flickerPeriod
  }

  /// The possible exposure whose ``Exposure/amount`` is nearest to `amount`. It is as long as allowed, since gain costs noise.
  public func exposure(of amount: Double) -> Exposure {
    let (shortest, cap) = (durations.lowerBound / .seconds(1), longestAllowed)
    var wanted = (amount / gains.lowerBound).clamped(to: shortest...cap)
    if let period = flickerPeriod.map({ $0 / .seconds(1) }), period > 0, wanted >= period {
      wanted = (wanted / period * (1 + 1e-9)).rounded(.down) * period
    }
    let candidates = durations(around: wanted, cap: cap).map { seconds in
      Exposure(duration: .seconds(seconds), gain: gain(nearest: amount / seconds))
    }
    // The shorter duration is taken, with its gain, unless the longer one comes clearly nearer.
    let errors = candidates.map { abs(log2($0.amount / amount)) }
    return errors.count > 1 && errors[1] < errors[0] - 0.005 ? candidates[1] : candidates[0]
  }

  private var longestAllowed: Double {
    let longest = min(durations.upperBound, longest ?? durations.upperBound)
    return max(longest, durations.lowerBound) / .seconds(1)
  }

  /// The possible durations just below and above `seconds`, in seconds.
  private func durations(around seconds: Double, cap: Double) -> [Double] {
    let step = durationStep / .seconds(1)
    guard step > 0 else { return [seconds] }
    let shortest = durations.lowerBound / .seconds(1)
    let below = shortest + ((seconds - shortest) / step + 1e-6).rounded(.down) * step
    return below + step <= cap * (1 + 1e-9) ? [below, below + step] : [below]
  }

  private func gain(nearest gain: Double) -> Double {
    let inside = gain.clamped(to: gains)
    guard gainStep > 0 else { return inside }
    let steps = ((inside - gains.lowerBound) / gainStep).rounded()
    return (gains.lowerBound + steps * gainStep).clamped(to: gains)
  }
}
