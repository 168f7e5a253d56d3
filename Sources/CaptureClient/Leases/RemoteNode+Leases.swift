import CaptureModel
import CaptureWire

/// A call that changes a camera takes its lease for itself while it runs. Who wants no other client's change between two of his own
/// acquires one, and makes them through ``using(_:)``; others get `failedPrecondition` meanwhile, naming the holder and the time left.
extension RemoteNode {
  /// Acquires the lease of a camera. `duration`: from 0.1 s to a day; `holder` names the caller to others; `patience`: how long to wait
  /// while another has it. Throws `failedPrecondition` naming the holder and the time left.
  public func lease(
    _ camera: String, for duration: Duration = .seconds(30), holder: String = "", patience: Duration = .zero
  ) async throws(RPCError) -> RemoteLease {
    var options = callOptions
    options.timeout = options.timeout.map { $0 + patience }
    return RemoteLease(
      try await LeasesClient(connection).acquire(
        AcquireLeaseRequest(
          camera: camera, durationMs: duration.wireMilliseconds, holder: holder,
          waitMs: patience.wireMilliseconds),
        options: options))
  }

  /// Starts a lease's time anew; `nil`: as long as it was acquired for. Throws `notFound` when it has expired or was given back.
  public func renew(_ token: LeaseToken, for duration: Duration? = nil) async throws(RPCError) -> RemoteLease
  {
    RemoteLease(
      try await LeasesClient(connection).renew(
        RenewLeaseRequest(token: token.rawValue, durationMs: duration?.wireMilliseconds ?? 0),
        options: callOptions))
  }

  /// Gives a lease back before its time. Throws `notFound` when it has expired or was given back.
  public func release(_ token: LeaseToken) async throws(RPCError) {
    _ = try await LeasesClient(connection).release(
      ReleaseLeaseRequest(token: token.rawValue), options: callOptions)
  }

  /// The node's leases that are held now, without their tokens.
  public func leases() async throws(RPCError) -> [RemoteLease] {
    try await LeasesClient(connection).list(options: callOptions).leases.map { RemoteLease($0) }
  }

  /// This node over the same connection, with tokens that go along with every call.
  public func using(_ tokens: LeaseToken...) -> RemoteNode {
    RemoteNode(connection, options: options, leases: leaseTokens + tokens)
  }
}

extension Duration {
  /// As the wire has it, rounded up: what is more than nothing stays so.
  fileprivate var wireMilliseconds: UInt32 {
    UInt32(Swift.min((Swift.max(.zero, self) / .milliseconds(1)).rounded(.up), Double(UInt32.max)))
  }
}
