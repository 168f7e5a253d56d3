import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Foundation
import Testing

@testable import CaptureNode

/// A file of clients that cannot be read is left as it is, and counts as soon as it can.
@Suite struct UnreadClientsTests {
  private let folder: ConfigurationFolderTests.Folder
  private let laptop = Secret.make()
  private let controller = Secret.make()

  init() throws { folder = try ConfigurationFolderTests.Folder() }

  private var path: String { folder.path + "/access.json" }

  /// `role`: "view" is one; `more`: members beside the clients.
  private func text(role: String, _ more: String = "") -> String {
    """
    {"clients": [{"name": "laptop", "secretSHA256": "\(laptop.digest)", "role": "\(role)", "created": 1}]\(more)}
    """
  }

  private func node() -> NodeAccess { NodeAccess(state: folder.path + "/state.json") { _, _ in } }

  private func pair(at access: NodeAccess) async -> RPCError? {
    await status {
      let code = try await access.newCode(
        grants: [AccessGrant(.view)], name: "door", clientSeconds: nil, maker: nil)
      _ = try await access.pair(code: code, secret: Secret.make().digest, name: "", peer: "")
    }
  }

  private func knows(_ secret: Secret, _ access: NodeAccess) -> Bool {
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = true
    return (try? access.identify(arrival, credential: secret.bytes)) != nil
  }

  @Test(arguments: ["{", #"{"clients": 5}"#, #"{"version": 3}"#, ""])
  func itIsNotReplaced(text: String) async throws {
    try folder.write("access.json", text, mode: 0o600)
    let access = node()
    for refused in [
      await pair(at: access), await status { _ = try await access.newIdentity() },
      await status { _ = try await access.revoke("laptop") },
    ] {
      #expect(refused?.code == .failedPrecondition && refused?.details?.reason == .stateNotWritable)
      for word in [path, "repair it or move it away", "capture-node reload"] {
        #expect(refused?.text.contains(word) == true, "\(refused?.text ?? "it was taken")")
      }
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(access.warnings.contains { $0.hasPrefix(path) }, "the node's status says so")
  }

  @Test func whatOthersCanReadIsNotReplaced() async throws {
    try folder.write("access.json", text(role: "view"), mode: 0o644)
    let access = node()
    #expect(await pair(at: access)?.code == .failedPrecondition)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text(role: "view"))
  }

  @Test func whatWasRepairedCountsAtTheNextPairing() async throws {
    try folder.write("access.json", text(role: "boss"), mode: 0o600)
    let access = node()
    #expect(await pair(at: access) != nil && !knows(laptop, access))
    try folder.write("access.json", text(role: "view"), mode: 0o600)
    #expect(await pair(at: access) == nil)
    #expect(knows(laptop, access) && node().clients.map(\.name) == ["laptop", "door"])
    #expect(access.warnings == [])
  }

  @Test func whatWasRepairedCountsWhenTheConfigurationIsReadAgain() async throws {
    try folder.write("access.json", text(role: "boss"), mode: 0o600)
    let access = node()
    #expect(try await access.reload().warnings.count == 1)
    try folder.write("access.json", text(role: "view"), mode: 0o600)
    #expect(try await access.reload().warnings == [] && knows(laptop, access))
  }

  @Test func aFileThatWasMovedAwayHindersNobody() async throws {
    try folder.write("access.json", text(role: "boss"), mode: 0o600)
    let access = node()
    #expect(await pair(at: access) != nil)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    #expect(await pair(at: access) == nil && node().clients.map(\.name) == ["door"])
  }

  /// What came in the clear stays invalid, whatever becomes of the file.
  @Test func exposedSecretsSurviveDamagedClients() async throws {
    try folder.write(
      "access.d/a.json5", ConfigurationFolderTests.client("controller", sum: "\(controller.digest)"))
    let exposed = #", "exposedSHA256": ["\#(controller.digest)"]"#
    try folder.write("access.json", text(role: "boss", exposed), mode: 0o600)
    let access = node()
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(access.configured.count == 1 && !knows(controller, access))
    try FileManager.default.removeItem(atPath: path)
    #expect(await pair(at: access) == nil && !knows(controller, access))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\(controller.digest)"))
  }

  /// As after a restore that lost the mode, or an editor's mistake in one of the lists.
  @Test(arguments: ["exposedSHA256", "replacedSHA256"], [0o644, 0o600])
  func invalidSecretsSurviveTheRestOfTheFile(list: String, mode: Int) async throws {
    try folder.write(
      "access.d/a.json5", ConfigurationFolderTests.client("controller", sum: "\(controller.digest)"))
    let other = list == "exposedSHA256" ? "replacedSHA256" : "exposedSHA256"
    let lists =
      mode == 0o644
      ? #", "\#(list)": ["\#(controller.digest)"]"#
      : #", "\#(other)": 5, "\#(list)": [7, "\#(controller.digest)", null]"#
    try folder.write("access.json", text(role: "view", lists), mode: mode)
    let access = node()
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(access.configured.count == 1 && !knows(controller, access) && !knows(laptop, access))
    #expect(access.warnings.contains { $0.hasPrefix(path) })
    #expect(await pair(at: access)?.code == .failedPrecondition)
  }

  /// One byte of a name is no UTF-8, or an editor has written UTF-16, which counts.
  @Test(arguments: ["a damaged byte", "UTF-16"])
  func invalidSecretsSurviveOtherCharacters(what: String) async throws {
    try folder.write(
      "access.d/a.json5", ConfigurationFolderTests.client("controller", sum: "\(controller.digest)"))
    let text = text(role: "view", #", "replacedSHA256": ["\#(controller.digest)"]"#)
    var bytes = Data(text.utf8)
    if what == "UTF-16" {
      bytes = try #require(text.data(using: .utf16))
    } else {
      bytes[try #require(text.utf8.firstRange(of: "laptop".utf8)?.lowerBound.utf16Offset(in: text))] = 0xFF
    }
    try folder.write("access.json", "", mode: 0o600)
    try bytes.write(to: URL(fileURLWithPath: path), options: [])
    let access = node()
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(access.configured.count == 1 && !knows(controller, access))
    #expect(knows(laptop, access) == (what == "UTF-16") && (access.readFailure == nil) == (what == "UTF-16"))
  }

  /// Nobody pairs: a reload alone has the file name what is invalid.
  @Test(arguments: ["moved away", "an older copy"])
  func invalidSecretsAreInTheFileThatTakesThePlaceOfADamagedOne(what: String) async throws {
    try folder.write(
      "access.d/a.json5", ConfigurationFolderTests.client("controller", sum: "\(controller.digest)"))
    let replaced = #", "replacedSHA256": ["\#(controller.digest)"]"#
    try folder.write("access.json", text(role: "boss", replaced), mode: 0o600)
    let access = node()
    if what == "moved away" {
      try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    } else {
      try folder.write("access.json", text(role: "view"), mode: 0o600)
    }
    #expect(try await access.reload().warnings == [])
    let again = node()
    await again.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(again.readFailure == nil && again.configured.count == 1 && !knows(controller, again))
    #expect(knows(laptop, again) == (what == "an older copy"))
  }

  /// A client of the configuration is none beside one that was paired, also if that is known late.
  @Test func aNameIsNotKnownTwice() async throws {
    try folder.write(
      "access.d/a.json5", ConfigurationFolderTests.client("laptop", sum: "\(controller.digest)"))
    try folder.write("access.json", text(role: "boss"), mode: 0o600)
    let access = node()
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(knows(controller, access))
    try folder.write("access.json", text(role: "view"), mode: 0o600)
    #expect(await pair(at: access) == nil)
    #expect(knows(laptop, access) && !knows(controller, access))
    #expect(access.warnings.count == 1 && access.warnings[0].contains("a client of this name was paired"))
  }
}
