import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Dispatch
import Foundation
import Glibc
import Testing

@testable import CaptureNode

/// An opening that fails leaves the node as it was, and nobody in it.
@Suite(.timeLimit(.minutes(1))) struct FailedOpeningTests {
  /// A configuration that names an address of the network.
  private func configuration() -> NodeSettings {
    var settings = NodeSettings()
    settings.listen = [ListenSetting(.internet(host: "0.0.0.0", port: 0, family: .v4))]
    return settings
  }

  /// Pairs a client. Returns with what it connects.
  private func laptop(of access: NodeAccess) async throws -> ClientConfiguration {
    let secret = Secret.make()
    let code = try await access.newCode(
      grants: [AccessGrant(.view)], name: "laptop", clientSeconds: nil, maker: nil)
    _ = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
    var configuration = ClientConfiguration()
    configuration.credential = secret.bytes
    return configuration
  }

  /// The file of clients cannot be written once the node listens, and a client has come in meanwhile.
  @Test func whoComesInWhileAnOpeningFailsIsSentAway() async throws {
    let node = try await NodeWithClients()
    let port = try #require(node.loopback.port)
    let (access, settings) = (node.access, configuration())
    await access.begin(with: settings) { () throws(ConfigurationError) in settings }
    let identified = try await laptop(of: access)
    _ = try await access.close()
    // The writing waits.
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    access.queue.async { gate.wait() }
    let opening = Task { try await access.open(port: port) }
    await eventually("it listens") { !access.networkAddresses.isEmpty }
    let address = try #require(access.networkAddresses.first)
    let client = try await ClientConnection.connect(
      to: .internet(host: "127.0.0.1", port: try #require(address.port), family: .v4),
      configuration: identified)
    #expect(access.callers.contains { $0.caller.kind == .client })
    // A folder in the place of the file: it cannot be replaced.
    let path = node.folder.path + "/access.json"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    gate.signal()
    await #expect(throws: RPCError.self) { try await opening.value }
    #expect(access.networkAddresses == [])
    await eventually("its connection ends") { !access.callers.contains { $0.caller.kind == .client } }
    #expect(access.callers.contains { $0.caller.role == .admin }, "the machine's own stay")
    await node.stop(client)
  }

  /// It came from this machine by a listener of the same address, before the node was closed to the network.
  @Test func whoCameBeforeAnOpeningFailsStays() async throws {
    let node = try await NodeWithClients()
    let access = node.access
    let address = try node.node.listen(on: .internet(host: "0.0.0.0", port: 0, family: .v4))
    let port = try #require(address.port)
    var settings = NodeSettings()
    settings.listen = [ListenSetting(address)]
    await access.begin(with: settings) { [settings] () throws(ConfigurationError) in settings }
    let client = try await ClientConnection.connect(
      to: .internet(host: "127.0.0.1", port: port, family: .v4),
      configuration: try await laptop(of: access))
    _ = try await access.close()
    // A folder in the place of the file: it cannot be replaced.
    let path = node.folder.path + "/access.json"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await #expect(throws: RPCError.self) { try await access.open(port: port) }
    #expect(access.networkAddresses == [])
    _ = try await DevicesClient(client).list(ListDevicesRequest(), options: bounded)
    await node.stop(client)
  }

  @Test func aNodeWhoseFileCannotBeReadIsNotOpened() async throws {
    let node = try await NodeWithClients(clients: #"{"clients": 5, "closed": true}"#)
    let settings = configuration()
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    let error = await #expect(throws: RPCError.self) { try await node.access.open(port: 7311) }
    #expect(error?.details?.reason == .stateNotWritable)
    #expect(node.access.networkAddresses == [])
    // A key is made once the node listens.
    #expect(Glibc.access(node.folder.path + "/identity.pem", F_OK) != 0)
    await node.stop()
  }

  @Test func aPairingForWhichThereIsNoCodeOpensNothing() async throws {
    let node = try await NodeWithClients()
    let port = UInt32(try #require(node.loopback.port))
    let request = NewPairingRequest(port: port, grants: [Grant(role: .view)])
    func refusal() async -> RPCError? {
      await status { _ = try await AccessClient(node.admin).newPairing(request, options: bounded) }
    }
    func fill(_ codes: Int) async throws {
      for _ in 0..<codes {
        _ = try await node.access.newCode(
          grants: [AccessGrant(.view)], name: "", clientSeconds: nil, maker: nil)
      }
    }
    try await fill(AccessBook.mostCodes - 1)
    // An opening that fails leaves no code. A folder in the place of the file: it cannot be written.
    let path = node.folder.path + "/access.json"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for _ in 0..<2 { #expect(await refusal()?.details?.reason == .stateNotWritable) }
    try FileManager.default.removeItem(atPath: path)
    try await fill(1)
    #expect(await refusal()?.details?.reason == .limitReached)
    #expect(node.access.networkAddresses == [])
    await node.stop()
  }

  /// The error about its file advises to move it away, and the next pairing reads it again.
  @Test func aClosedNodeWhoseDamagedFileIsMovedAwayIsOpenedByPairing() async throws {
    let node = try await NodeWithClients(clients: #"{"clients": 5, "closed": true}"#)
    let settings = configuration()
    await node.access.begin(with: settings) { () throws(ConfigurationError) in settings }
    try FileManager.default.removeItem(atPath: node.folder.path + "/access.json")
    #expect(try await node.access.open(port: 7311).isNew)
    await node.access.state.withLock { $0.reopening }?.value
    #expect(node.access.networkAddresses.count == 1)
    await node.stop()
  }

  /// A listener in the clear has the port.
  @Test(arguments: [false, true])
  func aPortOfPlaintextIsRefusedAndStays(isClosed: Bool) async throws {
    let node = try await NodeWithClients()
    let (access, policy) = (node.access, ListenerPolicy(takesPlaintext: true))
    let address = try node.node.listen(
      on: .internet(host: "0.0.0.0", port: 0, family: .v4), policy: policy)
    var settings = NodeSettings()
    settings.listen = [ListenSetting(address, policy: policy)]
    await access.begin(with: settings) { [settings] () throws(ConfigurationError) in settings }
    if isClosed { _ = try await access.close() }
    let before = access.networkAddresses
    let taken = try #require(address.port)
    let error = await #expect(throws: RPCError.self) { try await access.open(port: taken) }
    for word in ["\(address)", "plaintext", "--port"] {
      #expect(error?.text.contains(word) == true, "\(error?.text ?? "it was opened")")
    }
    #expect(access.networkAddresses == before && before.count == (isClosed ? 0 : 1) && access.tls == nil)
    // At another port the node opens, and what was closed is back.
    let port = try #require(node.loopback.port)
    #expect(try await access.open(port: port).port == port)
    #expect(access.networkAddresses.contains(address))
    #expect(access.networkAddresses.contains { $0.port == port })
    await node.stop()
  }
}
