import CaptureModel
import CaptureTransport
import CaptureWire
import Dispatch
import Foundation
import Testing

@testable import CaptureNode

/// A node is closed at once, and who closes it is told whether it stays closed.
@Suite(.timeLimit(.minutes(1))) struct ClosingTests {
  private let node: NodeWithClients

  init() async throws { node = try await NodeWithClients() }

  /// A write may fail after it has replaced the file, as where the folder cannot be made durable: the file says then that the node is open.
  @Test func aNodeWhoseOpeningHasFailedIsStoredAsClosed() async throws {
    let (access, path) = (node.access, node.folder.path + "/access.json")
    let port = try #require(node.loopback.port)
    _ = try await access.close()
    // A folder in the place of the file: it cannot be replaced.
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await #expect(throws: RPCError.self) { try await access.open(port: port) }
    for _ in 0..<2 {
      let error = await #expect(throws: RPCError.self) { try await access.close() }
      #expect(error?.text.contains("its next start may open it again") == true)
    }
    try FileManager.default.removeItem(atPath: path)
    try node.folder.write("access.json", #"{"clients": [], "port": \#(port)}"#, mode: 0o600)
    _ = try await access.close()
    let again = NodeAccess(state: node.folder.path + "/state.json") { _, _ in }
    let isClosed = again.state.withLock { $0.contents.isClosed }
    #expect(isClosed && !access.isUnwritten)
    await node.stop()
  }

  @Test func aNodeIsClosedWhileItsDiskHangs() async throws {
    let access = node.access
    _ = try node.node.listen(on: .internet(host: "0.0.0.0", port: 0, family: .v4))
    // The writing waits.
    let gate = DispatchSemaphore(value: 0)
    access.queue.async { gate.wait() }
    let closing = Task { try await access.close() }
    await eventually("it is closed") { access.networkAddresses.isEmpty }
    gate.signal()
    _ = try await closing.value
    await node.stop()
  }
}
