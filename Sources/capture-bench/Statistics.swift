import CaptureSystem

/// Seconds since an arbitrary moment of this boot.
func monotonicSeconds() -> Double { Double(MonotonicClock.now()) * 1e-9 }

extension [Double] {
  /// The value below which `fraction` of them lie; 0 where there is none.
  func percentile(_ fraction: Double) -> Double {
    let sorted = self.sorted()
    return sorted.isEmpty ? 0 : sorted[Int(fraction * Double(sorted.count - 1) + 0.5)]
  }
}
