import CaptureSystem
import CaptureWire
import Synchronization
import Testing

@testable import CaptureTransport

@Suite(.timeLimit(.minutes(1))) struct CheckInTheClearTests {
  @Test func aNameThatHasARefusedAddressIsNotConnectedTo() async throws {
    let node = try Node()
    guard case .internet(_, let port, _) = node.address else {
      Issue.record("\(node.address)")
      return
    }
    let asked = Mutex<[SocketAddress]>([])
    let isRefused = Mutex(false)
    var configuration = ClientConfiguration()
    configuration.checkInTheClear = { (address) throws(RPCError) in
      asked.withLock { $0.append(address) }
      if isRefused.withLock({ $0 }) { throw RPCError(.failedPrecondition, "not there") }
    }
    let name = SocketAddress.name(host: "localhost", port: port)
    let client = try await ClientConnection.connect(to: name, configuration: configuration)
    #expect(
      asked.withLock { $0.contains(node.address) && !$0.contains(name) }, "the numeric ones are asked about")
    isRefused.withLock { $0 = true }
    await #expect(throws: RPCError(.failedPrecondition, "not there")) {
      _ = try await ClientConnection.connect(to: name, configuration: configuration)
    }
    await client.close()
    await node.stop()
  }
}
