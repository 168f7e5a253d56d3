import CaptureClient
import CaptureModel
import CaptureSystem
import Glibc
import Testing

/// Calls whose caller is cancelled before there is an answer.
@Suite(.timeLimit(.minutes(1))) struct CancelledCallsTests {
  /// A listener to which one can connect, and which never says anything.
  private final class SilentListener {
    private let listener: LoopbackListener
    var address: SocketAddress { listener.address }

    init() throws { listener = try LoopbackListener() }

    deinit { close(listener.descriptor) }
  }

  private typealias Connecting = @Sendable (SocketAddress) async throws -> Void

  private static let connecting: [Connecting] = [
    { _ = try await RemoteNode(configuration: .init(address: $0)) },
    { _ = try await RemoteNode.shownKey(.init(address: $0)) },
    { address in
      guard case .internet(_, let port, _) = address else { return }
      let (pin, code) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 16))
      let line = try PairingLine(parsing: "capture-pair/studio/127.0.0.1/\(port)/\(pin)/\(code)")
      _ = try await RemoteNode.pair(line, secret: .make(), name: "tester")
    },
  ]

  @Test(arguments: connecting.indices) func nobodyWaitsForAConnectionThatIsNotWantedAnyMore(
    way: Int
  ) async throws {
    let listener = try SilentListener()
    let began = ContinuousClock.now
    let connecting = Task { [address = listener.address] in
      await failure { try await Self.connecting[way](address) }
    }
    await Task.yield()
    connecting.cancel()
    #expect(await connecting.value?.code == .cancelled)
    // The connection itself would be given up after ten seconds.
    #expect(.now - began < .seconds(5))
    withExtendedLifetime(listener) {}
  }

  @Test func aLeaseThatNobodyWaitsForIsGivenBack() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    for round in 0..<100 {
      let acquiring = Task {
        await failure { _ = try await node.camera("0").acquireLease(for: .seconds(600)) }
      }
      // Somewhere on its way.
      for _ in 0..<round % 10 { await Task.yield() }
      acquiring.cancel()
      let error = await acquiring.value
      if error == nil { _ = try await node.camera("0").endLease() }
      while try await !node.leases().isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    }
    await live.stop()
  }
}
