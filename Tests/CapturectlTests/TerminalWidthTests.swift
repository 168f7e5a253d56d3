import Foundation
import Testing

/// What the programs print on a terminal, line by line.
@Suite struct TerminalWidthTests {
  private static let cameras = ["synthetic:physics:640x480@30", "synthetic:640x480@30"]

  /// What a command needs in order to have something to show.
  private static let before = [
    "leases": "capturectl lock 0 --for 60 --holder $(printf 'studio-%.0s' {1..14})",
    "profile list 0": "capturectl profile save 0 $(printf 'night-%.0s' {1..10})",
    "session list": sessions, "session show door": sessions,
  ]
  private static let sessions = "capturectl session configure door --input 0 --preset high --start"

  @Test(
    arguments: cameras,
    [
      "controls 0", "status", "devices", "formats 0", "inputs 0", "describe 0", "leases", "profile list 0",
      "session list", "session show door",
    ])
  func noLineIsLongerThanTheTerminalIsWide(camera: String, command: String) async throws {
    let node = try SpawnedNode(camera: camera)
    let result = try await node.shell(
      """
      \(Self.before[command] ?? ":") > before || exit 9
      on() { script -qec "stty cols $1; capturectl \(command)" /dev/null < /dev/null; }
      on 300 > wide && on 80
      """)
    #expect(result.status == 0, "\(result)")
    let lines = Self.lines(result.output)
    #expect(!lines.isEmpty && lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    if ["controls 0", "status", "leases"].contains(command) {
      // It is the terminal that makes them short.
      let wide = Self.lines(String(decoding: node.bytes("wide"), as: UTF8.self))
      #expect(wide.contains { $0.count > 80 }, "\(wide)")
    }
  }

  private static func lines(_ output: String) -> [String] {
    output.split { $0.isNewline }.map(String.init)
  }
}
