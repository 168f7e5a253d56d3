import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Glibc
import Synchronization
import Testing

@testable import CaptureNode

/// A credential that came in the clear is worth nothing any more, whether that can be written down or not.
@Suite(.timeLimit(.minutes(1))) struct ExposedCredentialTests {
  private let secret = Secret.make()

  private func identify(_ access: NodeAccess, isEncrypted: Bool) -> RPCError? {
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = isEncrypted
    do throws(RPCError) {
      _ = try access.identify(arrival, credential: secret.bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func aClientThatWasPairedIsGoneThoughTheDiskIsFull() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    // A folder in place of the file: nothing can be moved there.
    let file = node.folder.path + "/access.json"
    #expect(rename(file, file + ".away") == 0 && mkdir(file, 0o700) == 0)
    await node.access.expose(node.access.clients[0].secret, of: "anna")
    #expect(!node.access.knows("anna"))
    #expect(await anna.waitUntilLost()?.code == .unauthenticated)
    // Whatever is written next has it.
    #expect(rmdir(file) == 0)
    let bert = try await node.client("bert", seeing: 0)
    let again = NodeAccess(state: node.folder.path + "/state.json") { _, _ in }
    #expect(again.clients.map(\.name) == ["bert"])
    await node.stop(anna, bert)
  }

  /// A reload has given the name another secret since the Hello.
  @Test func whoHasTheNameWithAnotherSecretStays() async throws {
    let node = try await NodeWithClients()
    let valid = Secret.make()
    try node.folder.write("access.d/a.json5", ConfigurationFolderTests.client("a", sum: "\(valid.digest)"))
    await node.access.configure(ConfiguredAccess(files: [node.folder.path + "/access.d/a.json5"]))
    var configuration = ClientConfiguration()
    configuration.credential = valid.bytes
    let client = try await ClientConnection.connect(to: node.loopback, configuration: configuration)
    let isConnected = { node.access.callers.contains { $0.caller.name == "a" } }
    #expect(isConnected())
    await node.access.expose(secret.digest, of: "a")
    #expect(isConnected() && node.access.knows("a"))
    await node.access.expose(valid.digest, of: "a")
    #expect(await client.waitUntilLost()?.code == .unauthenticated)
    #expect(!node.access.knows("a"))
    await node.stop(client)
  }

  @Test func aClientOfTheConfigurationIsRefusedWithoutAState() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write("access.d/a.json5", ConfigurationFolderTests.client("a", sum: "\(secret.digest)"))
    let said = Mutex("")
    let access = NodeAccess(state: nil) { _, line in said.withLock { $0 += line + "\n" } }
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(identify(access, isEncrypted: true) == nil)
    #expect(identify(access, isEncrypted: false)?.text.contains("came in the clear") == true)
    await eventually("it is refused") { identify(access, isEncrypted: true) != nil }
    await eventually("that is told") { said.withLock { $0.contains("only until the node's next start") } }
    #expect(!access.knows("a"))
  }
}
