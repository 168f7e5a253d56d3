import CaptureSystem

/// An object that lives on a loop: only turns of that loop touch its state.
protocol LoopConfined: AnyObject, Sendable {
  nonisolated var loop: TransportLoop { get }
}

extension LoopConfined {
  nonisolated var isOnLoop: Bool { loop.serial.isCurrent }
}

extension LoopConfined where Self: ServerConnection {
  /// Runs `body` if the caller is on the object's loop; otherwise returns `nil`.
  func ifOnLoop<R>(_ body: (Self) -> R) -> R? { isOnLoop ? body(self) : nil }

  /// Runs `body`: at once if the caller is on the object's loop, or else in a turn of its own.
  func onLoop(_ body: @escaping @Sendable (Self) -> Void) {
    if isOnLoop { body(self) } else { loop.serial.async { body(self) } }
  }
}

extension LoopConfined where Self: Actor {
  /// Runs `body` as the actor if the caller is on the actor's loop; otherwise returns `nil`.
  nonisolated func ifOnLoop<R: Sendable>(_ body: (isolated Self) -> R) -> R? {
    isOnLoop ? assumeIsolated(body) : nil
  }

  /// Runs `body` as the actor: at once if the caller is on its loop, or else in a turn of its own.
  nonisolated func onLoop(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if isOnLoop { assumeIsolated(body) } else { loop.serial.async { self.assumeIsolated(body) } }
  }
}
