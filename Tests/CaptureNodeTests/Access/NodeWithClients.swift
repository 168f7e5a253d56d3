import CaptureAccess
import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTransport

@testable import CaptureNode

/// A node with two cameras that knows its clients.
struct NodeWithClients {
  let folder: ConfigurationFolderTests.Folder
  let access: NodeAccess
  let node: CameraNode
  let loopback: SocketAddress
  /// The node's own user.
  let admin: ClientConnection

  /// `camera`: what both cameras are. `clients`: the text of the file of clients; `nil`: there is none.
  init(_ camera: String = "synthetic:160x120@50", clients: String? = nil) async throws {
    folder = try ConfigurationFolderTests.Folder()
    if let clients { try folder.write("access.json", clients, mode: 0o600) }
    access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    let spec = try SyntheticSpec.parse(camera)!
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(SyntheticProvider(cameras: [spec, spec]))
    node = CameraNode(engine, access: access)
    loopback = try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4))
    admin = try await ClientConnection.connect(
      to: try node.listen(on: .unix(path: folder.path + "/socket")))
  }

  /// A client that sees one camera.
  func client(
    _ name: String, seeing camera: Int, role: AccessRole = .view, for seconds: Int64? = nil
  ) async throws -> ClientConnection {
    try await client(name, [AccessGrant(role, cameras: CameraScope(["*-\(camera)"]))], for: seconds)
  }

  func client(
    _ name: String, _ grants: [AccessGrant], for seconds: Int64? = nil
  ) async throws -> ClientConnection {
    let secret = Secret.make()
    let code = try await access.newCode(
      grants: grants, name: name, clientSeconds: seconds, maker: nil)
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
