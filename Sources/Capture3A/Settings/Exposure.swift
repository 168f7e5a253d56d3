import Glibc

/// How long a frame's pixels collect light, and the factor by which the signal is multiplied.
public struct Exposure: Hashable, Sendable {
  public var duration: Duration
  /// Linear, 1 or more: twice the gain is twice the signal. It is the ISO divided by the ISO of gain 1.
  public var gain: Double

  public init(duration: Duration, gain: Double = 1) {
    self.duration = duration
    self.gain = gain
  }

  /// Seconds times gain: a picture's brightness is proportional to it.
  public var amount: Double { duration / .seconds(1) * gain }

  /// How much brighter this one is than `other`, in EV.
  public func stops(above other: Exposure) -> Double { log2(amount / other.amount) }

  /// Whether both are the same except for rounding: within 3 % in duration and in gain.
  func isAbout(_ other: Exposure) -> Bool {
    !hasOtherDuration(than: other) && !hasOtherGain(than: other)
  }

  /// Whether the durations differ by more than rounding.
  func hasOtherDuration(than other: Exposure) -> Bool { abs(duration / other.duration - 1) >= 0.03 }

  /// Whether the gains differ by more than rounding.
  func hasOtherGain(than other: Exposure) -> Bool { abs(gain / other.gain - 1) >= 0.03 }
}
