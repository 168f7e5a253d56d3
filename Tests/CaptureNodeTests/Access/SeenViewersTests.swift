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

  /// Its cameras are those of kept pictures. Of every camera that is no reason to tell it of the node's clients.
  @Test func whoReadsTheLibraryAloneIsToldOfNoCamera() async throws {
    let node = try await NodeWithClients()
    let archive = try await node.client("archive", [AccessGrant(.view, media: [.library])])
    let own = [AccessGrant(.view, cameras: CameraScope(["*-0"]), media: [.video])]
    let desk = try await node.client("desk", own + [AccessGrant(.view, media: [.library])])
    // A pattern that matches nothing is one of the warnings.
    let dark = try await node.client("dark", [AccessGrant(.view, cameras: CameraScope(["usb-*"]))])
    _ = try await LeasesClient(node.admin).acquire(
      AcquireLeaseRequest(device: "1", durationMs: 60_000), options: bounded)
    view(node.admin, "1")
    await eventually("the viewer is listed") { (try? await viewers(node.admin))?.count == 1 }
    for (client, cameras, leases, warnings) in [
      (node.admin, ["synthetic-0", "synthetic-1"], 1, 1), (desk, ["synthetic-0"], 0, 0), (archive, [], 0, 0),
    ] as [(ClientConnection, [String], UInt32, Int)] {
      let told = try await NodeClient(client).status(StatusRequest(), options: bounded)
      #expect(told.cameras.map(\.id) == cameras && told.warnings.count == warnings)
      #expect(told.leases == leases && told.viewers.count == warnings)
      let info = try await NodeClient(client).info(InfoRequest(), options: bounded)
      #expect(info.cameras == UInt32(cameras.count))
    }
    await node.stop(archive, desk, dark)
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
