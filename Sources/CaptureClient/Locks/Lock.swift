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
  /// How long others wait for the camera if this program freezes or its machine disappears: 0.5 s to a day.
  public var lifetime: Duration

  public init(holder: String? = nil, patience: Duration = .zero, lifetime: Duration = .seconds(10)) {
    (self.holder, self.patience, self.lifetime) = (holder, patience, lifetime)
  }
}

extension Camera {
  /// Locks the camera, calls `body`, and unlocks the camera (`AVCaptureDevice.lockForConfiguration`, `unlockForConfiguration`).
  ///
  /// The lock renews itself while `body` runs, and ends when `body` returns or throws. Other clients can watch the camera meanwhile, and get
  /// `failedPrecondition` where they try to change it. What `body` has set stays.
  ///
  /// Throws `failedPrecondition` where another client has the camera; the error names that client. If the lock is lost while `body` runs (somebody
  /// ended it by force, the node or the connection went away), the task of `body` is cancelled within two seconds, and `aborted` (`leaseLost`) says
  /// who or what took it. What `body` has set is not undone then, since the camera may belong to somebody else. If `body` ends normally after the
  /// loss, its result is returned.
  public func withLock<Result: Sendable>(
    _ options: LockOptions = LockOptions(), _ body: @escaping @Sendable (Lock) async throws -> Result
  ) async throws -> Result {
    guard options.lifetime >= .milliseconds(500) else {
      throw CaptureError(
        .invalidArgument, "a lock lives at least 0.5 s without its holder, not \(options.lifetime)",
        .init(.valueOutOfRange, field: "lifetime", range: .init(0.5, 86_400)))
    }
    let lease = try await acquireLease(
      for: options.lifetime, holder: options.holder ?? node.configuration.agent, patience: options.patience)
    guard let token = lease.token else {
      throw CaptureError(.dataLoss, "the node gave a lease without its token")
    }
    let locked = Lock(through(node.using(token)))
    // A body that is cancelled keeps its lock until it has ended.
    let keeping = Task { [node] in await node.keep(token, for: options.lifetime) }
    let outcome = await withTaskGroup(of: ScopeEnd<Result>.self) { group in
      group.addTask {
        defer { keeping.cancel() }
        do { return .body(.success(try await body(locked))) } catch { return .body(.failure(error)) }
      }
      group.addTask { .lost(await keeping.value) }
      return await Self.awaitBody(in: &group)
    }
    // A failed release is ignored: a lease that is lost already is somebody else's or nobody's. A task of its own releases the lease, so that it is
    // released also where the caller is cancelled.
    _ = await Task { [node] in try? await node.release(token) }.value
    return try outcome.get()
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

extension RemoteNode {
  /// Renews a lease until it is lost, and returns why it was lost; `nil`: the task was cancelled.
  fileprivate func keep(_ token: LeaseToken, for lifetime: Duration) async -> CaptureError? {
    var renewed = ContinuousClock.now
    while true {
      do { try await Task.sleep(for: min(lifetime / 3, .seconds(2))) } catch { return nil }
      do throws(CaptureError) {
        _ = try await renew(token)
        renewed = .now
      } catch {
        if Task.isCancelled { return nil }
        // The answer is late, but the lease may not have expired yet.
        if error.code == .deadlineExceeded, .now - renewed < lifetime { continue }
        return error.details?.reason == .leaseLost
          ? error
          : CaptureError(.aborted, "the lock was lost: \(error.message)", .init(.leaseLost))
      }
    }
  }
}
