/// The limits of a node for leases.
public struct LeaseLimits: Hashable, Sendable {
  /// The longest duration, from acquisition or renewal, of a lease that does not end with its connection.
  public var maximum = Duration.seconds(600)
  /// For each camera, how many calls and requests for a lease may run or wait at once.
  public var waiters = NodeLimit.leaseWaiters.usual

  public init() {}

  /// Throws `invalidArgument` for a duration that is too long for a lease that outlives its connection.
  package func validate(_ duration: Duration, outlivesConnection: Bool) throws(CaptureError) {
    guard outlivesConnection, duration > maximum else { return }
    throw CaptureError(
      .invalidArgument,
      "a lease that outlives its connection lasts at most \(maximum.shortText) on this node (leases.maximum), not \(duration.shortText); "
        + "renew it before its end; only one that ends with its connection lasts longer",
      .init(
        .limitReached, field: "duration_ms", asked: .number(duration / .milliseconds(1)),
        range: .init(100, maximum / .milliseconds(1)), limit: "leases.maximum",
        bound: UInt64(maximum / .milliseconds(1)))
    )
  }
}
