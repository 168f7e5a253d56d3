/// How a lost connection is made again: after a pause that grows with every attempt that fails.
public struct ReconnectPolicy: Hashable, Sendable {
  /// Before the first attempt. Above zero.
  public var initialDelay: Duration
  /// The longest pause.
  public var maximumDelay: Duration
  /// What each further pause is of the one before. 1 or more.
  public var multiplier: Double
  /// The share of a pause that is left to chance, 0…1: clients of a node that restarts do not all come back in the same moment.
  public var jitter: Double

  public init(
    initialDelay: Duration = .milliseconds(200), maximumDelay: Duration = .seconds(10),
    multiplier: Double = 2, jitter: Double = 0.3
  ) {
    self.initialDelay = initialDelay
    self.maximumDelay = maximumDelay
    self.multiplier = multiplier
    self.jitter = jitter
  }
}

/// What becomes of a connection that is made again when it is lost.
public enum ConnectionChange: Hashable, Sendable {
  /// It is lost, or an attempt to make it again has failed; why, for a person, and when the next attempt is made.
  case away(reason: String, nextAttempt: Duration)
  /// It is there again.
  case restored
}

/// The pauses between attempts.
struct Backoff {
  private let policy: ReconnectPolicy
  private var next: Duration

  init(_ policy: ReconnectPolicy) {
    self.policy = policy
    next = policy.initialDelay
  }

  /// The pause before the next attempt. `chance`: 0…1.
  mutating func pause(chance: Double) -> Duration {
    let pause = min(next, policy.maximumDelay)
    next = min(pause * max(policy.multiplier, 1), policy.maximumDelay)
    return pause * (1 - min(max(policy.jitter, 0), 1) * chance)
  }

  /// A connection was made and has lasted so long. One that is lost at once is no reason to try faster.
  mutating func connectionEnded(after lifetime: Duration) {
    if lifetime >= next { next = policy.initialDelay }
  }
}
