import CaptureSystem
import Glibc
import Testing

@testable import CaptureTransport

@Suite struct CongestionControlTests {
  /// A connection within the machine has CUBIC from its beginning, on both sides, whatever the system's default is.
  @Test func aLocalConnectionBeginsWithCubic() async throws {
    let node = try Node()
    let (raw, _) = try await Connector.connect(to: node.address, timeout: .seconds(2))
    let socket = OwnedDescriptor(owning: raw)
    #expect(CongestionControl(of: socket.raw)?.name == "cubic")
  }

  @Test func anAcceptedSocketTakesTheListenersOver() throws {
    let listener = try Sockets.make(for: .standard)
    CongestionControl.local.apply(to: listener.raw)
    try Sockets.bindToFreePort(listener.raw)
    let client = try Sockets.make(for: .standard)
    _ = try Sockets.connect(client.raw, to: #require(try Sockets.localAddress(listener.raw)))
    let accepted = OwnedDescriptor(owning: try Sockets.accept(listener.raw).raw)
    #expect(CongestionControl(of: accepted.raw)?.name == "cubic")
  }

  @Test func aUnixSocketHasNone() throws {
    let socket = try Sockets.make(for: .unix(path: "/x"))
    #expect(CongestionControl(of: socket.raw) == nil)
  }
}

extension Sockets {
  fileprivate static func bindToFreePort(_ descriptor: Int32) throws {
    let address = SocketAddress.internet(host: "127.0.0.1", port: 0, family: .v4)
    let status = try address.withNative { (pointer, size) throws(Errno) in bind(descriptor, pointer, size) }
    try #require(status == 0)
    try #require(listen(descriptor, 1) == 0)
  }
}
