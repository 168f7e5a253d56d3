import CaptureAccess
import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureNode

/// Who is told of whom.
@Suite(.timeLimit(.minutes(1))) struct SeenViewersTests {
  /// A node with two cameras that knows its clients.
  private struct Known {
    let folder: ConfigurationFolderTests.Folder
    let access: NodeAccess
    let node: CameraNode
    let loopback: SocketAddress
    /// The node's own user.
    let admin: ClientConnection

    init() async throws {
      folder = try ConfigurationFolderTests.Folder()
      access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
      let spec = try SyntheticSpec.parse("synthetic:160x120@50")!
      let engine = CaptureEngine(imaging: .standard)
      await engine.attach(SyntheticProvider(cameras: [spec, spec]))
      node = CameraNode(engine, access: access)
      loopback = try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4))
      admin = try await ClientConnection.connect(
        to: try node.listen(on: .unix(path: folder.path + "/socket")))
    }

    /// A client that sees one camera.
    func client(_ name: String, seeing camera: Int) async throws -> ClientConnection {
      let secret = Secret.make()
      let code = try await access.newCode(
        role: .view, cameras: CameraScope(["*-\(camera)"]), name: name, clientSeconds: nil, maker: nil)
      _ = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
      var configuration = ClientConfiguration()
      configuration.credential = secret.bytes
      return try await ClientConnection.connect(to: loopback, configuration: configuration)
    }

    func stop(_ clients: ClientConnection...) async {
      for client in clients + [admin] { await client.close() }
      await node.drain(grace: .milliseconds(10))
    }
  }

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
    let node = try await Known()
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
    let node = try await Known()
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
