import CaptureSystem

/// The entries for callers that may be on another thread.
extension ServerConnection {
  var isOnLoop: Bool { loop.serial.isCurrent }

  /// Runs `body` if the caller is on the connection's loop; otherwise returns `nil`.
  func ifOnLoop<R>(_ body: (ServerConnection) -> R) -> R? { isOnLoop ? body(self) : nil }

  /// Runs `body`: at once if the caller is on the connection's loop, or else in a turn of its own.
  func onLoop(_ body: @escaping @Sendable (ServerConnection) -> Void) {
    if isOnLoop { body(self) } else { loop.serial.async { body(self) } }
  }
}
