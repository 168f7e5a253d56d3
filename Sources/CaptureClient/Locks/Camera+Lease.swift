public import CaptureModel
internal import CaptureWire

extension Camera {
  /// Acquires the camera's lease. `duration`: from 0.1 s to a day; `holder` names the caller to others; `patience`: how long to wait while another
  /// client has it. The lease ends with this connection, unless `outlivesConnection` is true; the node then limits its duration (to 10 minutes, if
  /// its configuration has no other limit). Throws `failedPrecondition` where another client still has the lease; the error names the holder and the
  /// time left.
  public func acquireLease(
    for duration: Duration = .seconds(30), holder: String = "", patience: Duration = .zero,
    outlivesConnection: Bool = false
  ) async throws(CaptureError) -> CameraLease {
    var options = node.callOptions
    options.timeout = options.timeout.map { $0 + patience }
    let request = AcquireLeaseRequest(
      device: name, durationMs: duration.wireMilliseconds, holder: holder,
      waitMs: patience.wireMilliseconds, outlivesConnection: outlivesConnection)
    let acquire = { @Sendable [node, options] () async throws(RPCError) in
      try await LeasesClient(node.connection).acquire(request, options: options).model
    }
    return try await convertingErrors { () async throws(RPCError) in
      // A call that waits in line can be cancelled. A call that does not wait is left to go on instead, and its lease is given back: it may get the
      // lease at any moment, and a cancelled call would leave a lease whose token nobody has.
      if patience > .zero { return try await acquire() }
      return try await abandoningIfCancelled(discard: { [node] in await node.discard($0) }, acquire)
    }
  }

  /// Ends the camera's lease without its token. A client can end its own lease, an admin anybody's. `name`: who ends it, for the lease's holder.
  /// Returns the ended lease. Throws `notFound` where the camera has no lease, and `permissionDenied` where somebody else has it and the caller is no
  /// admin.
  public func endLease(by name: String = "") async throws(CaptureError) -> CameraLease {
    try await convertingErrors { () async throws(RPCError) in
      let answer = try await LeasesClient(node.connection).release(
        ReleaseLeaseRequest(device: self.name, force: true, holder: name), options: node.callOptions)
      return (answer.lease ?? LeaseInfo()).model
    }
  }
}

extension RemoteNode {
  /// Gives back a lease that nobody waits for any more.
  fileprivate func discard(_ lease: CameraLease) async {
    guard let token = lease.token else { return }
    try? await release(token)
  }

  /// Renews a lease. `camera`: the lease's camera; empty: whichever it is. `duration`: `nil`: as long as the lease was acquired for.
  /// `outlivesConnection`: `true`: the lease outlives its connection from now on; `false`: a lease that ends with a connection ends with this one
  /// from now on, and a lease that outlives its connection still does. Throws `notFound` when the lease has expired or was given back, `aborted`,
  /// which says by whom, when it was ended by force, and `failedPrecondition` where it belongs to another camera than `camera`.
  public func renew(
    _ token: LeaseToken, of camera: String = "", for duration: Duration? = nil,
    outlivesConnection: Bool = false
  ) async throws(CaptureError) -> CameraLease {
    try await convertingErrors { () async throws(RPCError) in
      try await LeasesClient(connection).renew(
        RenewLeaseRequest(
          token: token.rawValue, durationMs: duration?.wireMilliseconds ?? 0,
          outlivesConnection: outlivesConnection, device: camera),
        options: callOptions
      ).model
    }
  }

  /// Gives a lease back before its time. `camera`: the lease's camera; empty: whichever it is. Throws `notFound` when the lease has expired or was
  /// given back, `aborted` when it was ended by force, and `failedPrecondition` where it belongs to another camera than `camera`.
  public func release(_ token: LeaseToken, of camera: String = "") async throws(CaptureError) {
    _ = try await convertingErrors { () async throws(RPCError) in
      try await LeasesClient(connection).release(
        ReleaseLeaseRequest(token: token.rawValue, device: camera), options: callOptions)
    }
  }

  /// The leases that are held on the node now, without their tokens.
  /// Throws `unavailable` where the node is not reached.
  public func leases() async throws(CaptureError) -> [CameraLease] {
    try await convertingErrors { () async throws(RPCError) in
      try await LeasesClient(connection).list(options: callOptions).leases.map { $0.model }
    }
  }
}

extension Duration {
  /// The duration in the wire's unit, rounded up: a duration above zero stays above zero.
  fileprivate var wireMilliseconds: UInt32 {
    UInt32(Swift.min((Swift.max(.zero, self) / .milliseconds(1)).rounded(.up), Double(UInt32.max)))
  }
}
