import Glibc

/// How long a frame's pixels collect light, and what the signal is multiplied by.
public struct Exposure: Hashable, Sendable {
  public var duration: Duration
  /// Linear, 1 or more: twice the gain is twice the signal. ISO divided by that of gain 1.
  public var gain: Double

  public init(duration: Duration, gain: Double = 1) {
    self.duration = duration
    self.gain = gain
  }

  /// Seconds times gain: what a picture's brightness is proportional to.
  public var amount: Double { duration / .seconds(1) * gain }

  /// How much brighter than `other`, in EV.
  public func stops(above other: Exposure) -> Double { log2(amount / other.amount) }

  /// The same but for rounding: within 3 % in duration and in gain.
  func isAbout(_ other: Exposure) -> Bool {
    !hasOtherDuration(than: other) && !hasOtherGain(than: other)
  }

  /// By more than rounding makes of it.
  func hasOtherDuration(than other: Exposure) -> Bool { abs(duration / other.duration - 1) >= 0.03 }

  /// By more than rounding makes of it.
  func hasOtherGain(than other: Exposure) -> Bool { abs(gain / other.gain - 1) >= 0.03 }
}
