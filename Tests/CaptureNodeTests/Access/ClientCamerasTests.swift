import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Foundation
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
      role: .control, cameras: CameraScope(["usb-*", "pci-1"]), name: "door", clientSeconds: nil, maker: nil)
    let client = try await access.pair(code: code, secret: secret.digest, name: "", peer: "")
    #expect(client.cameras.patterns == ["usb-*", "pci-1"])
    #expect(NodeAccess(state: state) { _, _ in }.clients == [client])
  }
}
