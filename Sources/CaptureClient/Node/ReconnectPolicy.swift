/// Says when a lost connection is made again: after a pause that grows with every failed attempt.
public struct ReconnectPolicy: Hashable, Sendable {
  /// The pause before the first attempt. Above zero.
  public var initialDelay: Duration
  /// The longest pause.
  public var maximumDelay: Duration
  /// The factor from one pause to the next: 1 or more.
  public var multiplier: Double
  /// The random share of a pause, 0 to 1. With it, not all clients of a node that restarts come back at the same moment.
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

/// A change of a connection that is made again when it is lost.
public enum ConnectionChange: Hashable, Sendable {
  /// The connection was lost, or an attempt to make it again has failed. The reason is for a person; the next attempt follows after `nextAttempt`.
  case away(reason: String, nextAttempt: Duration)
  /// The connection is there again.
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

  /// Notes that a connection has ended. If it had lasted at least as long as the next pause, the pauses begin anew with the first one. A connection
  /// that is lost at once is no reason to try faster.
  mutating func connectionEnded(after lifetime: Duration) {
    if lifetime >= next { next = policy.initialDelay }
  }
}
