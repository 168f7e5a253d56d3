import Glibc

/// A zoom that moves by itself towards a factor, by so many doublings a second.
public struct ZoomRamp: Hashable, Sendable {
  public let from: Double
  public let to: Double
  /// Doublings a second.
  public let rate: Double
  /// `CLOCK_MONOTONIC` nanoseconds.
  public let start: UInt64

  /// The rates that a client can ask for, in doublings a second.
  public static let rates = SettingsDescription.ValueRange(minimum: 0.01, maximum: 100, defaultValue: 1)

  /// Factors and rate are more than 0.
  public init(from: Double, to: Double, rate: Double, start: UInt64) {
    self.from = from
    self.to = to
    self.rate = rate
    self.start = start
  }

  /// The factor at a time.
  public func factor(at time: UInt64) -> Double {
    guard !isOver(at: time) else { return to }
    let doublings = rate * seconds(time)
    return from * exp2(to < from ? -doublings : doublings)
  }

  /// Whether the zoom has arrived at its factor.
  public func isOver(at time: UInt64) -> Bool { rate * seconds(time) >= abs(log2(to / from)) }

  private func seconds(_ time: UInt64) -> Double { Double(time - min(time, start)) / 1e9 }
}
