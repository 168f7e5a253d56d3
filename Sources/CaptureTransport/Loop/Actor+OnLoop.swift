import CaptureSystem

/// An actor that lives on a loop.
protocol LoopActor: Actor {
  nonisolated var loop: TransportLoop { get }
}

extension LoopActor {
  nonisolated var isOnLoop: Bool { loop.serial.isCurrent }

  /// Runs `body` as the actor if the caller is on the actor's loop; otherwise returns `nil`.
  ///
  /// `assumeIsolated` would ask the runtime about the task and its executors, ten times a call, which ``QueueExecutor/isCurrent`` has just answered.
  /// The cast is the same as there: isolation is not part of how a function is called.
  nonisolated func ifOnLoop<R>(_ body: (isolated Self) -> R) -> R? {
    guard isOnLoop else { return nil }
    return withoutActuallyEscaping(body) { body in
      unsafeBitCast(body, to: ((Self) -> R).self)(self)
    }
  }

  /// Runs `body` as the actor: at once if the caller is on its loop, or else in a turn of its own.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if ifOnLoop(body) == nil { loop.serial.async { _ = self.ifOnLoop(body) } }
  }
}
