import CaptureLoop
import CaptureSystem
import Glibc
import Synchronization
import Testing

@testable import CaptureTransport

@Suite(.timeLimit(.minutes(1))) struct ListenerTurnTests {
  /// What the loop did, in its order.
  private struct Order {
    var accepted = 0
    /// Connections that were accepted since the other source was last called, and the most of those.
    var inARow = 0
    var most = 0

    mutating func accept() {
      accepted += 1
      inARow += 1
      most = max(most, inARow)
    }
  }

  /// A source that is always ready, as a client who sends without end: a pipe that nobody writes to any more.
  private final class Busy: LoopSource, Sendable {
    let descriptor: OwnedDescriptor
    private let called: @Sendable () -> Void

    init(_ called: @escaping @Sendable () -> Void) throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      close(ends[1])
      descriptor = OwnedDescriptor(owning: ends[0])
      self.called = called
    }

    func ready(_ readiness: Readiness) { called() }
  }

  @Test func whoeverIsConnectedHasHisTurnsWhileACrowdComes() async throws {
    let loop = TransportLoop(label: "test")
    let order = Mutex(Order())
    let listener = try Listener(
      .internet(host: "127.0.0.1", port: 0, family: .v4), unixMode: 0o600, on: loop
    ) { _, _, _ in order.withLock { $0.accept() } }
    // They wait in the kernel.
    let crowd = try (0..<64).map { _ in try RawClient(listener.address) }
    let busy = try Busy { order.withLock { $0.inARow = 0 } }
    let place = Mutex<LoopPoll.Place?>(nil)
    loop.serial.async {
      place.withLock { $0 = try? loop.poll.add(busy.descriptor.raw, busy) }
      listener.assumeIsolated { $0.start() }
    }
    try await eventually { order.withLock { $0.accepted } == crowd.count }
    await listener.stop()
    await withCheckedContinuation { done in
      loop.serial.async {
        if let place = place.withLock({ $0 }) { loop.poll.remove(place) }
        done.resume()
      }
    }
    #expect(order.withLock { $0.most } <= 4)
    withExtendedLifetime(crowd) {}
  }
}
