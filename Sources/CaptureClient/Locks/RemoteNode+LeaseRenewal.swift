internal import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// A node ends a connection of which it has heard nothing for this time, and the leases that end with it (docs/protocol.md).
  private static let longestSilence = Duration.seconds(40)

  /// Renews the lease of a lock until it is lost, and returns why it was lost; `nil`: the task was cancelled. `since`: a moment that is not later than
  /// the one from which the node counts the lease's lifetime.
  ///
  /// The node counts from when a renewal arrives there, which is after it was sent. So a lease whose renewals stay without an answer ends here before
  /// it ends on the node.
  func keep(
    _ token: LeaseToken, _ options: LockOptions, since: ContinuousClock.Instant
  ) async -> CaptureError? {
    let lifetime = min(options.lifetime, Self.longestSilence)
    var (sent, end) = (since, since + lifetime)
    while true {
      // The interval counts from the sending, as the lifetime does: a late answer takes nothing of the time that is left for further renewals.
      let next = min(max(ContinuousClock.now, sent + options.renewalInterval), end)
      do { try await Task.sleep(until: next, clock: .continuous) } catch { return nil }
      sent = ContinuousClock.now
      guard sent < end else {
        return CaptureError(
          .aborted, "the lock was lost: the node has answered no renewal for \(lifetime.shortText)",
          .init(.leaseLost))
      }
      do throws(CaptureError) {
        try await renew(token, within: sent.duration(to: end))
        end = sent + lifetime
      } catch {
        if Task.isCancelled { return nil }
        // The answer is late, but the lease may not have expired yet.
        if error.code == .deadlineExceeded { continue }
        return error.details?.reason == .leaseLost
          ? error
          : CaptureError(.aborted, "the lock was lost: \(error.message)", .init(.leaseLost))
      }
    }
  }

  /// Renews a lease. Throws `deadlineExceeded` where no answer comes within `patience`, or within the usual time limit of calls if that is shorter.
  private func renew(_ token: LeaseToken, within patience: Duration) async throws(CaptureError) {
    var options = callOptions
    options.timeout = min(options.timeout ?? patience, patience)
    _ = try await convertingErrors { [options] () async throws(RPCError) in
      try await LeasesClient(connection).renew(RenewLeaseRequest(token: token.rawValue), options: options)
    }
  }
}
