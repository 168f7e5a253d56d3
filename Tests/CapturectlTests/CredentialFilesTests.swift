import CaptureAccess
import Foundation
import Glibc
import Testing

/// The files that `capturectl credential new` makes.
@Suite(.timeLimit(.minutes(3))) struct CredentialFilesTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func shell(_ line: String) async throws -> Programs.Result {
    try await Programs.shell(line, node: "unix:/nowhere", in: folder)
  }

  /// The file for nodes names the secret of the client's, and nothing else is left.
  private func expectBoth(in place: String) throws {
    let place = folder.appending(path: place).path
    let secret = try CredentialFile.credential(at: place + "/fleet.credential").secret
    #expect(
      try String(contentsOfFile: place + "/fleet.json5", encoding: .utf8).contains("\(secret.digest)"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place).sorted() == [
        "fleet.credential", "fleet.json5",
      ])
  }

  @Test func aFolderThatMayBeWrittenToAndNotReadGetsThem() async throws {
    // Root may read every folder, unless it gives these rights up.
    let rights = "-dac_override,-dac_read_search"
    let withoutRights = geteuid() == 0 ? "setpriv --inh-caps=\(rights) --bounding-set=\(rights)" : ""
    let made = try await shell(
      "mkdir drop && chmod 300 drop && ! \(withoutRights) ls drop && \(withoutRights) capturectl credential new fleet --folder drop; "
        + "status=$?; chmod 700 drop; exit $status")
    #expect(made.status == 0, "\(made.error)")
    try expectBoth(in: "drop")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func ofTwoWhoMakeThemAtOnceOneDoes() async throws {
    for round in 0..<10 {
      let made = try await shell(
        "mkdir \(round); for i in 1 2; do (capturectl credential new fleet --folder \(round) && echo made >> made) & done; wait; cat made; rm made"
      )
      #expect(made.output.components(separatedBy: "\n").count { $0 == "made" } == 1, "\(made)")
      try expectBoth(in: "\(round)")
    }
    try FileManager.default.removeItem(at: folder)
  }
}
