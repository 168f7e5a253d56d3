/// The time between two frames, an exact fraction of a second (`v4l2_fract`).
public struct FrameInterval: Hashable, Sendable {
  /// Never 0.
  public var numerator: UInt32
  /// Never 0.
  public var denominator: UInt32

  /// `nil` when either is 0, which is no interval.
  public init?(numerator: UInt32, denominator: UInt32) {
    guard numerator > 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The interval for a rate in frames a second, to 1/1000; `nil` unless 0 < `rate` ≤ 1000.
  public init?(rate: Double) {
    guard rate > 0, rate <= 1000 else { return nil }
    if rate == rate.rounded() {
      self.init(numerator: 1, denominator: UInt32(rate))
    } else {
      self.init(numerator: 1000, denominator: UInt32((rate * 1000).rounded()))
    }
  }

  /// The interval that is assumed where a driver reports none: 1/30 s.
  public static let usual = FrameInterval(numerator: 1, denominator: 30)!

  /// Seconds.
  public var seconds: Double { Double(numerator) / Double(denominator) }
  /// Nanoseconds, rounded down.
  public var nanoseconds: UInt64 { UInt64(numerator) * 1_000_000_000 / UInt64(denominator) }
  /// Frames a second.
  public var rate: Double { Double(denominator) / Double(numerator) }
}

extension FrameInterval {
  /// Whether the interval reaches `rate` frames a second. Half a percent less is enough: 29.97 reaches 30.
  package func reaches(rate: Double) -> Bool { self.rate >= rate * 0.995 }
  /// Whether the interval is faster than `rate` by more than half a percent.
  package func exceeds(rate: Double) -> Bool { self.rate > rate * 1.005 }

  /// Seconds, without the unit: "1/30", "0.0334".
  public var durationText: String {
    numerator == 1 && denominator > 1 ? "1/\(denominator)" : seconds.shortText
  }
}

extension FrameInterval: Comparable {
  /// Compares durations: a shorter interval is less.
  public static func < (a: FrameInterval, b: FrameInterval) -> Bool {
    UInt64(a.numerator) * UInt64(b.denominator) < UInt64(b.numerator) * UInt64(a.denominator)
  }
}

extension FrameInterval: CustomStringConvertible {
  /// The rate: "30 fps", "29.97 fps".
  public var description: String {
    let hundredths = Int((rate * 100).rounded())
    if hundredths % 100 == 0 { return "\(hundredths / 100) fps" }
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) fps"
  }
}
