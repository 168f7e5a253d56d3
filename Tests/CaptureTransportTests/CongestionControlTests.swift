import CaptureSystem
import Synchronization
import Testing

@testable import CaptureTransport

@Suite struct CongestionControlTests {
  /// Whatever the system's default is: a client's socket has CUBIC before it connects.
  @Test func aClientWithinTheMachineHasCubic() async throws {
    let node = try Node()
    let (raw, _) = try await Connector.connect(to: node.address, timeout: .seconds(20))
    let socket = OwnedDescriptor(owning: raw)
    #expect(CongestionControl(of: socket.raw)?.name == "cubic")
    await node.stop()
  }

  /// With one that is no system's default: it can only come from the listener.
  @Test func anAcceptedConnectionHasTheListenersOne() async throws {
    let found = Mutex<String?>(nil)
    let loop = TransportLoop(label: "test")
    let listener = try Listener(
      .internet(host: "127.0.0.1", port: 0, family: .v4), unixMode: 0o600, on: loop,
      local: CongestionControl(name: "reno")
    ) { socket, _, _ in
      found.withLock { $0 = CongestionControl(of: socket.raw)?.name }
    }
    await listener.start()
    let (raw, _) = try await Connector.connect(to: listener.address, timeout: .seconds(20))
    let client = OwnedDescriptor(owning: raw)
    try await eventually { found.withLock { $0 != nil } }
    #expect(found.withLock { $0 } == "reno")
    _ = client
    await listener.stop()
  }

  @Test func aUnixSocketHasNone() throws {
    let socket = try Sockets.make(for: .unix(path: "/x"))
    #expect(CongestionControl(of: socket.raw) == nil)
  }
}
