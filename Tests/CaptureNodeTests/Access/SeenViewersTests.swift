import CaptureModel
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureNode

/// Who is told of whom.
@Suite(.timeLimit(.minutes(1))) struct SeenViewersTests {
  private func viewers(_ client: ClientConnection) async throws -> [CaptureWire.Viewer] {
    try await NodeClient(client).status(StatusRequest(), options: bounded).viewers
  }

  private func view(_ client: ClientConnection, _ device: String) {
    Task {
      for try await _ in try await VideoClient(client).subscribe(
        SubscribeRequest(device: device), options: CallOptions())
      {}
    }
  }

  @Test func aClientIsToldOfThoseAtItsCamerasAlone() async throws {
    let node = try await NodeWithClients()
    let (anna, bert) = (try await node.client("anna", seeing: 0), try await node.client("bert", seeing: 1))
    view(anna, "0")
    await eventually("anna is listed") { (try? await viewers(node.admin))?.count == 1 }
    view(bert, "0")
    await eventually("bert is listed") { (try? await viewers(node.admin))?.count == 2 }
    view(node.admin, "synthetic-1")
    await eventually("all are listed") { (try? await viewers(node.admin))?.count == 3 }
    let all = try await viewers(node.admin)
    #expect(all.map(\.client) == ["anna", "bert", ""] && all.map(\.user).prefix(2) == ["", ""])
    #expect(all.map(\.device) == ["synthetic-0", "synthetic-1", "synthetic-1"])
    #expect(all[0].address.hasPrefix("127.0.0.1:") && all[2].address == "unix")
    #expect(all[2].user == (geteuid() == 0 ? "root" : "user \(geteuid())"))
    #expect(try await viewers(anna).map(\.client) == ["anna"])
    // Whoever shares a camera is told of the others at it.
    #expect(try await viewers(bert).map(\.address) == all.suffix(2).map(\.address))
    await node.stop(anna, bert)
  }

  @Test func whoIsRevokedIsGone() async throws {
    let node = try await NodeWithClients()
    let (anna, bert) = (try await node.client("anna", seeing: 0), try await node.client("bert", seeing: 1))
    view(anna, "0")
    view(bert, "0")
    await eventually("both are listed") { (try? await viewers(node.admin))?.count == 2 }
    _ = try await node.access.revoke("bert")
    await eventually("bert is gone") {
      (try? await viewers(node.admin))?.map(\.client) == ["anna"]
    }
    await node.stop(anna, bert)
  }
}
