import CaptureSystem

/// An actor that lives on a loop.
protocol LoopActor: Actor {
  nonisolated var loop: TransportLoop { get }
}

extension LoopActor {
  nonisolated var isOnLoop: Bool { loop.serial.isCurrent }

  /// Runs `body` as the actor, when the caller is on its loop already; otherwise `nil`.
  ///
  /// `assumeIsolated` asks the runtime about the task and its executors for what ``QueueExecutor/isCurrent`` has just told, ten times
  /// a call. The cast is the same as there: isolation is no part of how a function is called.
  nonisolated func ifOnLoop<R>(_ body: (isolated Self) -> R) -> R? {
    guard isOnLoop else { return nil }
    return withoutActuallyEscaping(body) { body in
      unsafeBitCast(body, to: ((Self) -> R).self)(self)
    }
  }

  /// Runs `body` as the actor: now, when the caller is on its loop, or in a turn of its own.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if ifOnLoop(body) == nil { loop.serial.async { _ = self.ifOnLoop(body) } }
  }
}
