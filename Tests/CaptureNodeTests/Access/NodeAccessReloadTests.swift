import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Foundation
import Synchronization
import Testing

@testable import CaptureNode

@Suite struct NodeAccessReloadTests {
  private let one = Secret.make()
  private let two = Secret.make()

  private func entry(_ name: String, _ secret: Secret, role: String = "view") -> String {
    ConfigurationFolderTests.client(name, sum: "\(secret.digest)", role: role)
  }

  private func role(_ secret: Secret, at access: NodeAccess) -> AccessRole? {
    var arrival = Arrival(way: .network, peer: "192.0.2.1:5")
    arrival.isEncrypted = true
    return try? access.identify(arrival, credential: secret.bytes).role
  }

  private func node(_ folder: ConfigurationFolderTests.Folder) async throws -> NodeAccess {
    let access = NodeAccess(state: folder.path + "/state.json") { _, _ in }
    let path = folder.path
    let read: @Sendable () throws(ConfigurationError) -> NodeSettings = { () throws(ConfigurationError) in
      try ConfigurationFolder(path: path).applied(to: NodeSettings())
    }
    await access.begin(with: try read(), read: read)
    return access
  }

  @Test func whomTheFilesNameTheNodeKnows() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write("access.d/a.json5", entry("a", one))
    try folder.write("access.d/b.json5", "{")
    let access = try await node(folder)
    #expect(role(one, at: access) == .view)
    #expect(role(two, at: access) == nil)
    #expect(access.warnings.count == 1)
    // A whole set takes the place of the old one, and those who are gone are out.
    try folder.write("access.d/b.json5", entry("b", two, role: "admin"))
    try FileManager.default.removeItem(atPath: folder.path + "/access.d/a.json5")
    try folder.write("node.json5", "{ logLevel: 'debug' }")
    let outcome = try await access.reload()
    #expect(outcome.ended == ["a"])
    #expect(outcome.clients == 1)
    #expect(outcome.nextStart == ["logLevel"])
    #expect(role(one, at: access) == nil)
    #expect(role(two, at: access) == .admin)
    #expect(access.warnings == [])
  }

  @Test(arguments: ["access.d/b.json5", "node.json5", "conf.d/x.json5"])
  func anErrorLeavesTheOldSetWhole(file: String) async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write("access.d/a.json5", entry("a", one))
    let access = try await node(folder)
    try folder.write("access.d/a.json5", entry("a", two))
    try folder.write(file, "{ what: 1 }")
    await #expect {
      _ = try await access.reload()
    } throws: {
      let error = $0 as? RPCError
      return error?.code == .failedPrecondition
        && error?.text.hasPrefix(
          "nothing has changed: \(folder.path)/\(file): line 1: what: there is no such key") == true
    }
    #expect(role(one, at: access) == .view)
    #expect(role(two, at: access) == nil)
  }

  @Test(.timeLimit(.minutes(1))) func aSecretIsReplacedWithoutAGap() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let file = "access.d/a.json5"
    try folder.write(file, entry("a", one))
    let access = try await node(folder)
    try folder.write(file, entry("a", one).replacing("role:", with: "nextSHA256: '\(two.digest)', role:"))
    #expect(try await access.reload().ended == [], "who is connected stays")
    for _ in 0..<2 { #expect(role(one, at: access) == .view) }
    #expect(role(two, at: access) == .view)
    await eventually("the old one is refused") { role(one, at: access) == nil }
    #expect(try await access.reload().ended == [], "the file is the same")
    let again = try await node(folder)
    for access in [access, again] {
      #expect(role(one, at: access) == nil && role(two, at: access) == .view)
      #expect(access.warnings == [])
    }
    // The file of before.
    try folder.write(file, entry("a", one))
    #expect(try await access.reload().ended == ["a"])
    #expect(role(one, at: access) == nil && role(two, at: access) == nil)
    #expect(access.warnings.count == 1 && access.warnings[0].contains("the old secret of 'a'"))
    try folder.write(file, entry("a", two))
    _ = try await access.reload()
    #expect(role(two, at: access) == .view && access.warnings == [])
  }

  /// As on a full disk: that it cannot be written down does not keep it valid.
  @Test(.timeLimit(.minutes(1))) func anOldSecretIsRefusedWithoutState() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write(
      "access.d/a.json5", entry("a", one).replacing("role:", with: "nextSHA256: '\(two.digest)', role:"))
    let said = Mutex("")
    let access = NodeAccess(state: nil) { _, line in said.withLock { $0 += line + "\n" } }
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    #expect(role(one, at: access) == .view && role(two, at: access) == .view)
    await eventually("it is refused") { role(one, at: access) == nil }
    await eventually("that is told") { said.withLock { $0.contains("only until the node's next start") } }
    #expect(role(two, at: access) == .view)
  }

  /// Once the disk has room again, the next use of a credential makes up for it.
  @Test(.timeLimit(.minutes(1))) func anOldSecretThatCouldNotBeWrittenDownIsAtTheNextUse() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write(
      "access.d/a.json5", entry("a", one).replacing("role:", with: "nextSHA256: '\(two.digest)', role:"))
    let said = Mutex("")
    let access = NodeAccess(state: folder.path + "/state.json") { _, line in
      said.withLock { $0 += line + "\n" }
    }
    await access.configure(ConfiguredAccess(files: [folder.path + "/access.d/a.json5"]))
    // A folder in place of the file: nothing can be moved there.
    let path = folder.path + "/access.json"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(role(two, at: access) == .view)
    await eventually("that is told") { said.withLock { $0.contains("only until the node's next start") } }
    try FileManager.default.removeItem(atPath: path)
    #expect(role(one, at: access) == nil && role(two, at: access) == .view)
    await eventually("it is written") {
      (try? String(contentsOfFile: path, encoding: .utf8))?.contains("\(one.digest)") == true
    }
    await eventually("that is told") { said.withLock { $0.contains("is stored now") } }
    let again = try await node(folder)
    #expect(role(one, at: again) == nil && role(two, at: again) == .view)
  }

  @Test func anotherSecretCutsItsClientOff() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    let file = "access.d/a.json5"
    let both = entry("a", one).replacing("role:", with: "nextSHA256: '\(two.digest)', role:")
    try folder.write(file, both)
    let access = try await node(folder)
    try folder.write(file, entry("a", two))
    #expect(try await access.reload().ended == ["a"])
    try folder.write(file, both.replacing("'view'", with: "'control'"))
    #expect(try await access.reload().ended == ["a"], "another role, too")
  }

  @Test func aClientOfAFileIsRevokedThere() async throws {
    let folder = try ConfigurationFolderTests.Folder()
    try folder.write("access.d/a.json5", entry("a", one))
    let access = try await node(folder)
    await #expect {
      _ = try await access.revoke("a")
    } throws: {
      (($0 as? RPCError)?.text ?? "").contains("\(folder.path)/access.d/a.json5: remove it there")
    }
    #expect(role(one, at: access) == .view)
  }
}
