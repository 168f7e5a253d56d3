/// Durations counted in buckets that grow with them: quantiles within 2 % in constant memory, however many there are.
public struct DurationHistogram: Sendable {
  /// How many buckets each doubling of a duration has.
  private static let resolution = 64
  private var buckets = [UInt64](repeating: 0, count: resolution * 32)
  /// How many durations were added.
  public private(set) var count: UInt64 = 0

  public init() {}

  /// Adds a duration. A negative one (the clocks' offset is an estimate) counts as 0.
  public mutating func add(_ duration: Duration) {
    buckets[Self.bucket(microseconds: duration / .microseconds(1))] += 1
    count += 1
  }

  /// The value, in milliseconds, that `share` (0…1) of all durations do not exceed; `nil` when there is none.
  public func quantile(_ share: Double) -> Double? {
    guard count > 0 else { return nil }
    let rank = max(1, UInt64((Double(count) * share).rounded(.up)))
    var seen: UInt64 = 0
    let index = buckets.firstIndex { number in
      seen += number
      return seen >= rank
    }
    return index.map { Self.middle(of: $0) / 1000 }
  }

  /// The first buckets have a microsecond each; then each doubling has `resolution` buckets. All durations above 10 hours share the last one.
  private static func bucket(microseconds: Double) -> Int {
    let value = UInt64(max(0, min(microseconds, 3.6e10)))
    let doublings = max(0, 63 - (value | 1).leadingZeroBitCount - 6)
    return resolution * doublings + Int(value >> UInt64(doublings))
  }

  /// The middle of a bucket, in microseconds.
  private static func middle(of bucket: Int) -> Double {
    if bucket < 2 * resolution { return Double(bucket) }
    let doublings = bucket / resolution - 1
    let width = UInt64(1) << UInt64(doublings)
    return Double(UInt64(bucket - resolution * doublings) * width) + Double(width) / 2
  }
}
