import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Dispatch
import Foundation
import Glibc
import Synchronization
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

  @Test func onlyASocketThatIsThereIsNamed() async throws {
    func refusal() -> String? {
      do throws(RPCError) {
        _ = try node.access.identify(Arrival(way: .loopback, peer: ""), credential: [])
        return nil
      } catch {
        return error.text
      }
    }
    #expect(refusal()?.contains("capturectl --node unix:\(node.folder.path)/socket.") == true)
    #expect(node.access.socketWarning == nil)
    await node.access.server?.stopListening { if case .unix = $0 { true } else { false } }
    #expect(refusal()?.contains("the node listens at none") == true)
    let warning = try #require(node.access.socketWarning)
    #expect(warning.contains("nobody on this machine can pair") && node.access.warnings == [warning])
    await node.stop()
  }

  /// A configuration that names an address of the network besides one of this machine.
  private func configuration() -> NodeSettings {
    var settings = NodeSettings()
    settings.listen = [
      ListenSetting(.unix(path: node.folder.path + "/other")),
      ListenSetting(.internet(host: "0.0.0.0", port: 0, family: .v4)),
    ]
    return settings
  }

  /// The node as it is after a restart, before it listens.
  private func restarted(_ settings: NodeSettings) async -> NodeAccess {
    let access = NodeAccess(state: node.folder.path + "/state.json") { _, _ in }
    await access.begin(with: settings) { () throws(ConfigurationError) in settings }
    return access
  }

  /// A signal may come while the node starts.
  @Test func aNodeThatEndsIsNotOpenedAgainAndThatIsNoError() async throws {
    _ = try await node.access.open(port: port)
    await node.stop()
    let errors = Mutex<[String]>([])
    let access = NodeAccess(state: node.folder.path + "/state.json") { level, text in
      if level == .error { errors.withLock { $0.append(text) } }
    }
    let next = CameraNode(CaptureEngine(imaging: .standard), access: access)
    await next.drain(grace: .zero)
    await access.reopen()
    #expect(access.server?.addresses == [])
    #expect(errors.withLock { $0 } == [])
  }

  @Test func aClosedNodeStaysClosedOverRestarts() async throws {
    let settings = configuration()
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    #expect(node.access.permittedListeners() == settings.listen)
    _ = try node.node.listen(on: settings.listen[1].address)
    _ = try await node.access.close()
    #expect(node.access.networkAddresses == [])
    let again = await restarted(settings)
    #expect(again.permittedListeners() == [settings.listen[0]])
    #expect(
      again.warnings.contains {
        $0.contains("does not listen at 0.0.0.0:0, which its configuration or --listen names")
      })
    // What else is wrong with the file opens nothing, and neither does a damaged value.
    for text in [#"{"clients": 5, "closed": true}"#, #"{"clients": [], "closed": "true"}"#] {
      try node.folder.write("access.json", text, mode: 0o600)
      #expect(await restarted(settings).permittedListeners() == [settings.listen[0]])
    }
    try node.folder.write("access.json", #"{"clients": [], "closed": false}"#, mode: 0o600)
    #expect(await restarted(settings).permittedListeners() == settings.listen)
    await node.stop()
  }

  /// A name that /etc/hosts has for this machine, in a spelling that only the resolver knows.
  @Test func aNameThatLeadsToThisMachineAloneIsNoneOfTheNetwork() async throws {
    var settings = NodeSettings()
    settings.listen = [ListenSetting(.name(host: "LOCALHOST", port: 0))]
    await node.access.begin(with: settings) { [settings] () throws(ConfigurationError) in settings }
    let listeners = node.access.permittedListeners()
    #expect(listeners.map(\.address.isLocal) == [true])
    let address = try node.node.listen(on: listeners[0].address)
    _ = try await node.access.close()
    #expect(addresses.contains(address) && node.access.permittedListeners() == listeners)
    #expect(!node.access.warnings.contains { $0.contains("does not listen") })
    // Nothing was closed, so nothing of the configuration is opened again.
    #expect(try await node.access.open(port: port).port == port)
    await node.stop()
  }

  @Test func aNameThatIsNotFoundInTimeKeepsNoOtherFromBeingFound() async {
    let local = SocketAddress.internet(host: "127.0.0.1", port: 7311, family: .v4)
    let silent = ListenSetting(.name(host: "silent.example", port: 7311))
    let found = ListenSetting(.name(host: "studio.example", port: 7311))
    let isOver = DispatchSemaphore(value: 0)
    let listeners = await NodeAccess.resolved([silent, found], atMost: .seconds(2)) { listener in
      if listener == silent { isOver.wait() }
      return ListenSetting(local, policy: listener.policy)
    }
    isOver.signal()
    #expect(listeners == [silent, ListenSetting(local)])
  }

  /// The file says that the node was closed, is damaged elsewhere, and is moved away, as its error advises.
  @Test func aClosedNodeWhoseDamagedFileIsMovedAwayStaysClosedOverRestarts() async throws {
    let settings = configuration()
    try node.folder.write("access.json", #"{"clients": 5, "closed": true}"#, mode: 0o600)
    let access = await restarted(settings)
    #expect(access.permittedListeners() == [settings.listen[0]])
    try FileManager.default.removeItem(atPath: node.folder.path + "/access.json")
    _ = try await access.reload()
    #expect(access.readFailure == nil)
    #expect(await restarted(settings).permittedListeners() == [settings.listen[0]])
    await node.stop()
  }

  /// As after an editor's mistake, or of a file that was put together from two.
  @Test func aClosedNodeStaysClosedWhateverPortItsFileHas() async throws {
    let settings = configuration()
    let node = try await NodeWithClients(clients: #"{"clients": [], "closed": true, "port": \#(port)}"#)
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    await node.access.reopen()
    #expect(node.access.networkAddresses == [])
    #expect(node.access.permittedListeners() == [settings.listen[0]])
    await node.stop()
    await self.node.stop()
  }

  /// The node could not read at its start that it was closed.
  @Test func aRepairedFileClosesTheNodeAgain() async throws {
    let node = try await NodeWithClients(clients: "{")
    _ = try node.node.listen(on: .internet(host: "0.0.0.0", port: 0, family: .v4))
    try node.folder.write("access.json", #"{"clients": [], "closed": true}"#, mode: 0o600)
    _ = try await node.access.reload()
    #expect(node.access.networkAddresses == [])
    await node.stop()
    await self.node.stop()
  }

  /// The node could not read at its start that it was closed, and pairing reads the file first.
  @Test func pairingAfterTheFileWasRepairedOpensTheNode() async throws {
    let (node, settings) = (try await NodeWithClients(clients: "{"), configuration())
    let access = node.access
    await access.begin(with: settings) { () throws(ConfigurationError) in settings }
    _ = try node.node.listen(on: settings.listen[1].address)
    try node.folder.write("access.json", #"{"clients": [], "closed": true}"#, mode: 0o600)
    let opened = try await access.open(port: port)
    #expect(opened.isNew)
    _ = try await access.newCode(
      grants: [AccessGrant(.view)], name: "door", clientSeconds: nil, maker: nil)
    await access.state.withLock { $0.reopening }?.value
    #expect(access.networkAddresses == [.internet(host: "0.0.0.0", port: opened.port, family: .v4)])
    await node.stop()
    await self.node.stop()
  }

  @Test func aClosedNodeIsOpenedWhereItsConfigurationSays() async throws {
    let settings = configuration()
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    _ = try await node.access.close()
    let opened = try await node.access.open(port: port)
    #expect(opened.isNew && hasKey)
    #expect(
      node.access.networkAddresses == [.internet(host: "0.0.0.0", port: opened.port, family: .v4)])
    #expect(addresses.contains(node.loopback), "its port is left alone")
    #expect(!node.access.warnings.contains { $0.contains("does not listen") })
    let again = await restarted(settings)
    #expect(again.permittedListeners() == settings.listen)
    let second = try await node.access.open(port: port)
    #expect(second.port == opened.port && !second.isNew)
    await node.stop()
  }

  @Test func aNodeIsClosedAlsoWhereThatCannotBeStored() async throws {
    let settings = configuration()
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    _ = try node.node.listen(on: settings.listen[1].address)
    // A folder in the place of the file: it can be neither read nor replaced.
    try FileManager.default.createDirectory(
      atPath: node.folder.path + "/access.json", withIntermediateDirectories: false)
    let error = await #expect(throws: RPCError.self) { try await node.access.close() }
    #expect(error?.text.contains("its next start opens it again") == true)
    #expect(node.access.networkAddresses == [])
    await node.stop()
  }

  /// Nobody knows what the file says of a port.
  @Test func whatAnUnreadFileMayOpenIsSaidSo() async throws {
    let node = try await NodeWithClients(clients: "{")
    let error = await #expect(throws: RPCError.self) { try await node.access.close() }
    #expect(error?.text.contains("its next start may open it again") == true)
    await node.stop()
    await self.node.stop()
  }

  @Test func aNodeWithoutStateSaysWhatItsNextStartOpens() async throws {
    let settings = configuration()
    let access = NodeAccess(state: nil) { _, _ in }
    await access.begin(with: settings) { () throws(ConfigurationError) in settings }
    let error = await #expect(throws: RPCError.self) { try await access.close() }
    #expect(error?.text.contains("Remove from 'listen': 0.0.0.0:0") == true)
    #expect(access.permittedListeners() == [settings.listen[0]])
    await node.stop()
  }
}
