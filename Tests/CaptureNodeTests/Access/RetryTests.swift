import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Glibc
import Synchronization
import Testing

@testable import CaptureNode

/// A client that uses its credential has the node try again what could not be read or written.
@Suite(.timeLimit(.minutes(1))) struct RetryTests {
  private static let second: UInt64 = 1_000_000_000
  private let known = Secret.make()
  private let exposed = Secret.make()

  private func configure(_ access: NodeAccess, _ folder: ConfigurationFolderTests.Folder) async throws {
    try folder.write("access.d/a.json5", ConfigurationFolderTests.client("a", sum: "\(known.digest)"))
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
  }

  private func identify(at access: NodeAccess) -> Bool {
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = true
    return (try? access.identify(arrival, credential: known.bytes)) != nil
  }

  /// A client connects in a loop, and what that has caused is done.
  private func connectOften(to access: NodeAccess) {
    for _ in 0..<100 { #expect(identify(at: access)) }
    access.queue.sync {}
  }

  @Test func clientsHaveTheFileWrittenAtMostOnceASecond() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let now = Mutex(Self.second)
    let access = NodeAccess(state: folder.path + "/state.json", report: { _, _ in }) { now.withLock { $0 } }
    try await configure(access, folder)
    // A folder in place of the file: nothing can be moved there.
    let path = folder.path + "/access.json"
    #expect(mkdir(path, 0o700) == 0)
    await access.expose(exposed.digest, of: "b")
    connectOften(to: access)
    #expect(access.isUnwritten && rmdir(path) == 0)
    connectOften(to: access)
    now.withLock { $0 = 2 * Self.second - 1 }
    connectOften(to: access)
    #expect(access.isUnwritten)
    now.withLock { $0 += 1 }
    connectOften(to: access)
    #expect(!access.isUnwritten)
    let again = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    #expect(again.book.exposed == [exposed.digest])
  }

  @Test func clientsHaveTheFileReadAtMostOnceASecond() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write("access.json", "{", mode: 0o600)
    let now = Mutex(Self.second)
    let access = NodeAccess(state: folder.path + "/state.json", report: { _, _ in }) { now.withLock { $0 } }
    try await configure(access, folder)
    await access.expose(exposed.digest, of: "b")
    try folder.write("access.json", #"{"clients": []}"#, mode: 0o600)
    connectOften(to: access)
    #expect(access.readFailure != nil && access.isUnwritten)
    now.withLock { $0 += Self.second }
    connectOften(to: access)
    #expect(access.readFailure == nil && !access.isUnwritten)
    let again = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    #expect(again.book.exposed == [exposed.digest])
  }

  @Test func aNodeWhoseFileWasRepairedIsOpenAgain() async throws {
    let node = try await NodeWithClients(clients: "{")
    try await configure(node.access, node.folder)
    await node.access.expose(exposed.digest, of: "b")
    let port = try #require(node.loopback.port)
    try node.folder.write("access.json", #"{"clients": [], "port": \#(port)}"#, mode: 0o600)
    await eventually("it is open") {
      #expect(identify(at: node.access))
      return node.access.networkAddresses.contains { $0.port == port }
    }
    // Who closes the node keeps it closed: the reload has nothing to open.
    _ = try await node.access.close()
    #expect(node.access.readFailure == nil && !node.access.isUnwritten)
    _ = try await node.access.reload()
    #expect(node.access.networkAddresses == [])
    await node.stop()
  }
}
