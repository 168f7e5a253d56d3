/// What a node allows those who lease its cameras.
public struct LeaseLimits: Hashable, Sendable {
  /// The longest that a lease lasts which does not end with its connection, from its acquisition or its renewal.
  public var maximum = Duration.seconds(600)
  /// Calls and wishes for a lease that run or wait at once, of each camera.
  public var waiters = NodeLimit.leaseWaiters.usual

  public init() {}

  /// Throws `invalidArgument` for what would last longer than it may without its connection.
  package func validate(_ duration: Duration, outlivesConnection: Bool) throws(CaptureError) {
    guard outlivesConnection, duration > maximum else { return }
    throw CaptureError(
      .invalidArgument,
      "a lease that outlives its connection lasts at most \(maximum.leaseText) on this node (leases.maximum), not \(duration.leaseText); "
        + "renew it before its end ('capturectl --lease TOKEN lock'); only one that ends with its connection lasts longer"
    )
  }
}
