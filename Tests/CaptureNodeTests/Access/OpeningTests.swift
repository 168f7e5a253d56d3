import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct OpeningTests {
  private let node: NodeWithClients
  private let port: UInt16

  init() async throws {
    node = try await NodeWithClients()
    port = try #require(node.loopback.port)
  }

  private var hasKey: Bool { access(node.folder.path + "/identity.pem", F_OK) == 0 }

  private var addresses: [SocketAddress] { node.access.server?.addresses ?? [] }

  /// Another program listens at the port, at another address of this machine.
  private func other() throws -> OwnedDescriptor {
    let other = OwnedDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    let address = SocketAddress.internet(host: "127.0.0.2", port: port, family: .v4)
    _ = try address.withNative { (pointer, size) throws(Errno) in
      if bind(other.raw, pointer, size) != 0 { throw Errno.current }
    }
    try #require(listen(other.raw, 1) == 0)
    return other
  }

  @Test func aPortInUseLeavesNoKey() async throws {
    let held = SharedDescriptor(try other())
    let before = addresses.map(\.description).sorted()
    let error = await #expect(throws: ListenError.self) { try await node.access.open(port: port) }
    #expect(error?.cause.rawValue == EADDRINUSE)
    #expect(!hasKey && node.access.tls == nil && node.access.identity == nil)
    #expect(addresses.map(\.description).sorted() == before)
    #expect(node.access.warnings == [])
    withExtendedLifetime(held) {}
    await node.stop()
  }

  @Test func twoWhoOpenAtOnceOpenItOnce() async throws {
    let (access, port) = (node.access, port)
    async let one = access.open(port: port)
    async let other = access.open(port: port)
    let (first, second) = (try await one, try await other)
    #expect(first.isNew != second.isNew && first.port == port && second.port == port)
    #expect(hasKey && node.access.identity != nil)
    #expect(addresses.contains { !$0.isLocal && $0.port == port })
    _ = try await node.access.close()
    #expect(addresses.contains { $0.isLocal && $0.port == port })
    await node.stop()
  }
}
