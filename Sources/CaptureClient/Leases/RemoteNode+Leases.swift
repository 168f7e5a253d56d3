import CaptureModel
import CaptureWire

/// A call that changes a camera takes the camera's lease while it runs. A client that wants no other change between two of its calls acquires a lease
/// and makes the calls through ``using(_:)``. Other clients get `failedPrecondition` meanwhile, which names the holder and the time left.
extension RemoteNode {
  /// Acquires the lease of a camera. `duration`: from 0.1 s to a day; `holder` names the caller to others; `patience`: how long to wait while another
  /// client has it. The lease ends with this connection, unless it is to outlive it; then the node limits its duration (to 10 minutes, if its
  /// configuration says nothing else). Throws `failedPrecondition`, which names the holder and the time left.
  public func lease(
    _ camera: String, for duration: Duration = .seconds(30), holder: String = "", patience: Duration = .zero,
    outlivesConnection: Bool = false
  ) async throws(RPCError) -> RemoteLease {
    var options = callOptions
    options.timeout = options.timeout.map { $0 + patience }
    return RemoteLease(
      try await LeasesClient(connection).acquire(
        AcquireLeaseRequest(
          device: camera, durationMs: duration.wireMilliseconds, holder: holder,
          waitMs: patience.wireMilliseconds, outlivesConnection: outlivesConnection),
        options: options))
  }

  /// Starts a lease's time again; `nil`: with the duration with which it was acquired. From now on it ends with this connection, or with none: a lease
  /// that outlives its connection stays so. Throws `notFound` when it has expired or was given back, and `aborted`, which says by whom, when it was
  /// ended by force.
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

  /// Gives a lease back before its time. Throws `notFound` when it has expired or was given back, `aborted` when it was ended by force, and
  /// `failedPrecondition` where it belongs to another camera than the named one.
  public func release(_ token: LeaseToken, of camera: String = "") async throws(RPCError) {
    _ = try await LeasesClient(connection).release(
      ReleaseLeaseRequest(token: token.rawValue, device: camera), options: callOptions)
  }

  /// Ends a camera's lease, whoever has it. `name` tells its holder who did so. Returns the lease that it ended. Throws `notFound` where there is none.
  public func free(_ camera: String, by name: String = "") async throws(RPCError) -> RemoteLease {
    let answer = try await LeasesClient(connection).release(
      ReleaseLeaseRequest(device: camera, force: true, holder: name), options: callOptions)
    return RemoteLease(answer.lease ?? LeaseInfo())
  }

  /// The leases that are held on the node now, without their tokens.
  public func leases() async throws(RPCError) -> [RemoteLease] {
    try await LeasesClient(connection).list(options: callOptions).leases.map { RemoteLease($0) }
  }

  /// This node over the same connection, with tokens that are sent with every call.
  public func using(_ tokens: LeaseToken...) -> RemoteNode {
    RemoteNode(connection, options: options, leases: leaseTokens + tokens)
  }
}

extension Duration {
  /// The duration in the wire's unit, rounded up: a duration above zero stays above zero.
  fileprivate var wireMilliseconds: UInt32 {
    UInt32(Swift.min((Swift.max(.zero, self) / .milliseconds(1)).rounded(.up), Double(UInt32.max)))
  }
}
