internal import CaptureModel

/// A camera that nobody else can change while the body of ``Camera/withLock(_:_:)`` runs. A lock is of use only in that body.
public struct Lock: ConfigurableCamera {
  /// The camera, whose calls send the lock's token.
  public let camera: Camera

  init(_ camera: Camera) { self.camera = camera }
}

/// How ``Camera/withLock(_:_:)`` waits and holds.
public struct LockOptions: Sendable {
  /// The caller's name, for those who find the camera locked; `nil`: ``RemoteNode/Configuration/agent``.
  public var holder: String?
  /// How long to wait while another client has the camera.
  public var patience: Duration
  /// How long others wait for the camera if this program freezes or its machine disappears: 0.5 s to a day. They never wait for more than 40 s: by then
  /// the node has ended a connection of which it hears nothing, and the lock with it.
  public var lifetime: Duration

  public init(holder: String? = nil, patience: Duration = .zero, lifetime: Duration = .seconds(10)) {
    (self.holder, self.patience, self.lifetime) = (holder, patience, lifetime)
  }

  /// How long a lock goes without a renewal.
  var renewalInterval: Duration { min(lifetime / 3, .seconds(2)) }
}

extension Camera {
  /// Locks the camera, calls `body`, and unlocks the camera (`AVCaptureDevice.lockForConfiguration`, `unlockForConfiguration`).
  ///
  /// The lock renews itself while `body` runs, and ends when `body` returns or throws. Other clients can watch the camera meanwhile, and get
  /// `failedPrecondition` where they try to change it. What `body` has set stays.
  ///
  /// Throws `failedPrecondition` where another client has the camera; the error names that client. If the lock is lost while `body` runs, the task of
  /// `body` is cancelled, and `aborted` (`leaseLost`) says who or what took it. Where somebody ended the lock by force, or the node or the connection
  /// went away, that is at the next renewal, within two seconds. Where the network falls silent, it is when the lock's lifetime is over without an
  /// answer to a renewal, and after 40 s at most: the node keeps the camera for this client at least until then. What `body` has set is not undone,
  /// since the camera may belong to somebody else. If `body` ends normally after the loss, its result is returned.
  public func withLock<Result: Sendable>(
    _ options: LockOptions = LockOptions(), _ body: @escaping @Sendable (Lock) async throws -> Result
  ) async throws -> Result {
    guard options.lifetime >= .milliseconds(500) else {
      throw CaptureError(
        .invalidArgument, "a lock lives at least 0.5 s without its holder, not \(options.lifetime)",
        .init(.valueOutOfRange, field: "lifetime", range: .init(0.5, 86_400)))
    }
    let (token, since) = try await acquireLease(options)
    let locked = Lock(through(node.using(token)))
    // A body that is cancelled keeps its lock until it has ended.
    let keeping = Task { [node] in await node.keep(token, options, since: since) }
    let outcome = await withTaskGroup(of: ScopeEnd<Result>.self) { group in
      group.addTask {
        defer { keeping.cancel() }
        do { return .body(.success(try await body(locked))) } catch { return .body(.failure(error)) }
      }
      group.addTask { .lost(await keeping.value) }
      return await Self.awaitBody(in: &group)
    }
    // A failed release is ignored: a lease that is lost already is somebody else's or nobody's. A task of its own releases the lease, so that it is
    // released also where the caller is cancelled. After a loss nobody waits for that: the node may not answer.
    let releasing = Task { [node] in try? await node.release(token) }
    if await keeping.value == nil { _ = await releasing.value }
    return try outcome.get()
  }

  /// Acquires the lease of a lock. `since`: a moment that is not later than the one from which the node counts the lease's lifetime.
  private func acquireLease(
    _ options: LockOptions
  ) async throws(CaptureError) -> (token: LeaseToken, since: ContinuousClock.Instant) {
    var sent = ContinuousClock.now
    let lease = try await acquireLease(
      for: options.lifetime, holder: options.holder ?? node.configuration.agent, patience: options.patience)
    guard let token = lease.token else {
      throw CaptureError(.dataLoss, "the node gave a lease without its token")
    }
    // The lease began when its turn came, and nobody here knows when that was. After a long wait it is renewed: that moment is known.
    if sent.duration(to: .now) > options.renewalInterval {
      sent = .now
      do throws(CaptureError) { _ = try await node.renew(token) } catch {
        Task { [node] in try? await node.release(token) }
        throw error
      }
    }
    return (token, sent)
  }

  /// Waits for the body's end, and returns how it ended. Cancels the body if the lock is lost before.
  private static func awaitBody<Result>(
    in group: inout TaskGroup<ScopeEnd<Result>>
  ) async -> Swift.Result<Result, any Error> {
    var loss: CaptureError?
    for await end in group {
      switch end {
      case .lost(let error):
        loss = loss ?? error
        if error != nil { group.cancelAll() }
      case .body(let result):
        group.cancelAll()
        // A body that has ended normally has succeeded, even if the lock was lost at the same moment.
        if case .failure = result, let loss { return .failure(loss) }
        return result
      }
    }
    preconditionFailure("the body ends in any case")
  }
}

private enum ScopeEnd<Result: Sendable>: Sendable {
  case body(Swift.Result<Result, any Error>)
  /// `nil`: nobody needs the lock any more.
  case lost(CaptureError?)
}
