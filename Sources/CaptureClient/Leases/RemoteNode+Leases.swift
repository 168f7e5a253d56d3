import CaptureModel
import CaptureWire

/// A call that changes a camera takes its lease for itself while it runs. Who wants no other client's change between two of his own
/// acquires one, and makes them through ``using(_:)``; others get `failedPrecondition` meanwhile, naming the holder and the time left.
extension RemoteNode {
  /// Acquires the lease of a camera. `duration`: from 0.1 s to a day; `holder` names the caller to others; `patience`: how long to wait
  /// while another has it. It ends with this connection, unless it is to outlive it; then the node bounds its duration (10 minutes, if its
  /// configuration says nothing else). Throws `failedPrecondition` naming the holder and the time left.
  public func lease(
    _ camera: String, for duration: Duration = .seconds(30), holder: String = "", patience: Duration = .zero,
    outlivesConnection: Bool = false
  ) async throws(RPCError) -> RemoteLease {
    var options = callOptions
    options.timeout = options.timeout.map { $0 + patience }
    return RemoteLease(
      try await LeasesClient(connection).acquire(
        AcquireLeaseRequest(
          camera: camera, durationMs: duration.wireMilliseconds, holder: holder,
          waitMs: patience.wireMilliseconds, outlivesConnection: outlivesConnection),
        options: options))
  }

  /// Starts a lease's time anew; `nil`: as long as it was acquired for. It ends with this connection from now on, or with none: one that
  /// outlives its connection stays so. Throws `notFound` when it has expired or was given back, `aborted` when it was ended by force, saying by whom.
  public func renew(
    _ token: LeaseToken, for duration: Duration? = nil, outlivesConnection: Bool = false
  ) async throws(RPCError) -> RemoteLease {
    RemoteLease(
      try await LeasesClient(connection).renew(
        RenewLeaseRequest(
          token: token.rawValue, durationMs: duration?.wireMilliseconds ?? 0,
          outlivesConnection: outlivesConnection),
        options: callOptions))
  }

  /// Gives a lease back before its time. Throws `notFound` when it has expired or was given back, `aborted` when it was ended by force,
  /// `failedPrecondition` where it is of another camera than the one that is named.
  public func release(_ token: LeaseToken, of camera: String = "") async throws(RPCError) {
    _ = try await LeasesClient(connection).release(
      ReleaseLeaseRequest(token: token.rawValue, camera: camera), options: callOptions)
  }

  /// Ends a camera's lease, whoever has it; `name` says to its holder who did. Returns what it was. Throws `notFound` where there is none.
  public func free(_ camera: String, by name: String = "") async throws(RPCError) -> RemoteLease {
    let answer = try await LeasesClient(connection).release(
      ReleaseLeaseRequest(camera: camera, force: true, holder: name), options: callOptions)
    return RemoteLease(answer.lease ?? LeaseInfo())
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
