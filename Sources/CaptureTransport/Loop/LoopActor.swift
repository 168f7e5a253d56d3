import CaptureSystem

/// An actor that lives on a loop.
protocol LoopActor: Actor {
  nonisolated var loop: TransportLoop { get }
}

extension LoopActor {
  nonisolated var isOnLoop: Bool { loop.serial.isCurrent }

  /// Runs `body` as the actor if the caller is on the actor's loop; otherwise returns `nil`.
  nonisolated func ifOnLoop<R: Sendable>(_ body: (isolated Self) -> R) -> R? {
    isOnLoop ? assumeIsolated(body) : nil
  }

  /// Runs `body` as the actor: at once if the caller is on its loop, or else in a turn of its own.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if isOnLoop { assumeIsolated(body) } else { loop.serial.async { self.assumeIsolated(body) } }
  }
}
