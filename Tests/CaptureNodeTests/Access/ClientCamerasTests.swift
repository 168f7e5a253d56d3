import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Foundation
import Synchronization
import Testing

@testable import CaptureNode

@Suite struct ClientCamerasTests {
  private let secret = Secret.make()

  /// What a node knows of a client whose entry in the state has `cameras` besides.
  private func caller(_ cameras: String) throws -> Caller? {
    let folder = try ConfigurationFolderTests.Folder()
    let path = folder.path + "/access.json"
    let text = """
      {"clients": [{"name": "laptop", "secretSHA256": "\(secret.digest)", "role": "view", "created": 1\(cameras)}]}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = true
    return try? access.identify(arrival, credential: secret.bytes)
  }

  @Test func aStateOfBeforeIsOfEveryCamera() throws {
    #expect(try caller("")?.cameras == .every)
  }

  @Test func patternsComeWithTheCaller() throws {
    #expect(try caller(#", "cameras": ["usb-*"]"#)?.cameras == CameraScope(["usb-*"]))
  }

  @Test func aStateThatHasLostThemAdmitsNobody() throws {
    #expect(try caller(#", "cameras": []"#) == nil)
    #expect(try caller(#", "cameras": ["[!a]"]"#) == nil)
  }

  @Test func whatIsPairedIsReadAgain() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let state = folder.path + "/state.json"
    let access = NodeAccess(state: state) { _, _ in }
    let code = try await access.newCode(
      grants: [AccessGrant(.control, cameras: CameraScope(["usb-*", "pci-1"]))], name: "door",
      clientSeconds: nil, maker: nil)
    let client = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
    #expect(client.cameras.patterns == ["usb-*", "pci-1"])
    #expect(NodeAccess(state: state) { _, _ in }.clients == [client])
  }

  // MARK: Grants

  private static let grants = [
    AccessGrant(.view), AccessGrant(.control, cameras: CameraScope(["usb-*"]), media: [.video]),
  ]

  @Test func grantsAreReadAgain() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let state = folder.path + "/state.json"
    let access = NodeAccess(state: state) { _, _ in }
    let code = try await access.newCode(grants: Self.grants, name: "desk", clientSeconds: nil, maker: nil)
    let client = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
    #expect(client.grants == Self.grants)
    #expect(NodeAccess(state: state) { _, _ in }.clients == [client])
    // A node that knows no grants finds no role, and lets nobody in.
    let kept = try String(contentsOfFile: folder.path + "/access.json", encoding: .utf8)
    #expect(kept.contains(#""version" : 2"#))
    #expect(kept.split(separator: "\n").filter { $0.contains(#""role""#) }.count == Self.grants.count)
  }

  @Test func whatAnOlderNodeReadsHasNoVersion() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    let code = try await access.newCode(
      grants: [AccessGrant(.control)], name: "door", clientSeconds: nil, maker: nil)
    _ = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
    let kept = try String(contentsOfFile: folder.path + "/access.json", encoding: .utf8)
    #expect(!kept.contains("version") && !kept.contains("grants") && kept.contains(#""role" : "control""#))
  }

  /// What a node says of a state, and what another client that is paired makes of that.
  private func reading(_ text: String) async throws -> (said: String, pairing: StatusCode, kept: Bool) {
    let folder = try ConfigurationFolderTests.Folder()
    let path = folder.path + "/access.json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    let said = Mutex("")
    let access = NodeAccess(state: folder.path + "/state.json") { _, line in said.withLock { $0 += line } }
    let pairing: StatusCode
    do throws(RPCError) {
      let code = try await access.newCode(
        grants: [AccessGrant(.view)], name: "door", clientSeconds: nil, maker: nil)
      _ = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
      pairing = .ok
    } catch {
      pairing = error.code
    }
    return (said.withLock { $0 }, pairing, try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func theStateOfANewerNodeIsLeftAsItIs() async throws {
    let read = try await reading(#"{"version": 3, "clients": "of another kind"}"#)
    #expect(read.said.contains("a newer capture-node wrote it (version 3; this one reads 2)"))
    #expect(read.pairing == .failedPrecondition && read.kept)
  }

  @Test(arguments: [
    #""role": "view", "grants": [{"role": "view"}]"#, #""grants": []"#, #""grants": [{"role": "admin"}]"#,
    #""grants": [{"role": "view", "media": []}]"#, #""grants": [{"role": "view", "media": ["smell"]}]"#,
    #""grants": [{"role": "view", "cameras": []}]"#, #""cameras": ["usb-*"], "grants": [{"role": "view"}]"#,
  ])
  func aStateWithDamagedGrantsAdmitsNobody(rights: String) async throws {
    let read = try await reading(
      #"{"version": 2, "clients": [{"name": "laptop", "secretSHA256": "\#(secret.digest)", "created": 1, \#(rights)}]}"#
    )
    #expect(read.said.contains("access.json: the ") && read.said.contains("damaged"), "\(read.said)")
    #expect(read.pairing == .failedPrecondition && read.kept)
  }
}
