import CaptureModel
import Glibc

/// A zoom that moves by itself towards a factor, at a constant number of doublings a second.
package struct ZoomRamp: Hashable, Sendable {
  package let from: Double
  package let to: Double
  /// Doublings a second.
  package let rate: Double
  /// `CLOCK_MONOTONIC` nanoseconds.
  package let start: UInt64

  /// The rates that a client can ask for, in doublings a second.
  package static let rates = SettingsDescription.ValueRange(minimum: 0.01, maximum: 100, defaultValue: 1)

  /// Factors and rate are more than 0.
  package init(from: Double, to: Double, rate: Double, start: UInt64) {
    self.from = from
    self.to = to
    self.rate = rate
    self.start = start
  }

  /// The factor at a time.
  package func factor(at time: UInt64) -> Double {
    guard !isOver(at: time) else { return to }
    let doublings = rate * seconds(time)
    return from * exp2(to < from ? -doublings : doublings)
  }

  /// Whether the zoom has arrived at its factor.
  package func isOver(at time: UInt64) -> Bool { rate * seconds(time) >= abs(log2(to / from)) }

  private func seconds(_ time: UInt64) -> Double { Double(time - min(time, start)) / 1e9 }
}
