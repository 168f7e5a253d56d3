import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// Sends the reason to connections that are not served, at once and in one write, for which a new socket has room. It keeps each connection's
/// descriptor, so that the client can read the reason before the connection is closed. If there are too many, the oldest is closed.
actor Refusals: LoopActor {
  nonisolated let loop: TransportLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.serial.asUnownedSerialExecutor() }

  /// A connection that was told the reason and is closed at `end`.
  private struct Refused {
    let socket: SharedDescriptor
    let end: UInt64
  }

  private var refused: [Refused] = []
  private var timer: LoopTimer?

  private static let most = NodeLimit.refusedConnections.usual
  /// How many nanoseconds a client has to read the reason.
  private static let patience: UInt64 = 2_000_000_000

  init(on loop: TransportLoop) { self.loop = loop }

  func refuse(_ socket: SharedDescriptor, _ reason: ProtocolViolation) {
    let packet = PacketEncoder.header(
      Envelope(kind: .goAway(reason.goAway())))
    _ = send(socket.raw, packet, packet.count, Int32(MSG_NOSIGNAL))
    shutdown(socket.raw, Int32(SHUT_WR))
    if refused.count == Self.most { Self.discardInput(of: refused.removeFirst().socket) }
    refused.append(Refused(socket: socket, end: MonotonicClock.now() + Self.patience))
    if timer == nil {
      timer = LoopTimer(loop.events) { [weak self] in _ = self?.ifOnLoop { $0.closeExpired() } }
    }
    armTimer()
  }

  private func closeExpired() {
    let now = MonotonicClock.now()
    while let first = refused.first, first.end <= now {
      Self.discardInput(of: first.socket)
      refused.removeFirst()
    }
    armTimer()
  }

  private func armTimer() {
    if let first = refused.first { timer?.arm(first.end) }
  }

  /// Drops what the client has sent: unread input would turn the close into a reset.
  private static func discardInput(of socket: SharedDescriptor) {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { scratch in
      for _ in 0..<16 where recv(socket.raw, scratch.baseAddress, scratch.count, 0) == scratch.count {}
    }
  }
}
