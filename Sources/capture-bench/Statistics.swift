import CaptureSystem

/// Seconds since an arbitrary moment of this boot.
func monotonicSeconds() -> Double { Double(MonotonicClock.now()) * 1e-9 }

extension [Double] {
  /// The value below which this fraction of the numbers lies; 0 where there are no numbers.
  func percentile(_ fraction: Double) -> Double {
    let sorted = self.sorted()
    return sorted.isEmpty ? 0 : sorted[Int(fraction * Double(sorted.count - 1) + 0.5)]
  }
}
