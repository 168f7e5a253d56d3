import Foundation
import Testing

@testable import capturectl

/// Each command takes --json.
@Suite(.serialized) struct JSONOfEveryCommandTests {
  /// One that goes on until it is ended, as soon as it has printed something.
  private static func endless(_ command: String) -> String {
    """
    rm -f printed; capturectl --json \(command) > printed & command=$!
    until [ -s printed ]; do sleep 0.02; done
    kill $command; wait $command; cat printed
    """
  }

  /// What is run for each, in this order.
  private static let lines: [(command: String, line: String)] =
    [
      "info", "status", "ping --count 1", "devices", "formats 0", "controls 0", "get 0 zoom_absolute",
      "set 0 zoom_absolute=120", "inputs 0", "input 0 synthetic", "describe 0", "focus 0 --mode locked",
      "expose 0 --mode locked",
      "white-balance 0 --mode locked", "zoom 0 2", "frame-duration 0 --minimum 1/30", "torch 0 off",
      "flash 0 off", "reset 0", "stream 0 -n 1 -o /dev/null", "photo 0 -o /dev/null", "profile save 0 night",
      "profile load 0 night", "profile list 0", "profile delete 0 night", "calibrate 0 gain", "leases",
      "session configure door --input 0 --size 160x120", "session start door", "session list",
      "session show door",
    ].map { (words(of: $0), "capturectl --json \($0)") } + [
      ("watch", endless("watch 0")), ("session events", endless("session events door")),
      ("lock", "capturectl --json lock 0 | tee lease; capturectl unlock $(grep -o '[0-9a-f]\\{32\\}' lease)"),
      ("unlock", "capturectl --json unlock $(capturectl lock 0)"),
      ("unlock", "export CAPTURE_LEASE=$(capturectl lock 0); capturectl --json unlock 0"),
      ("session stop", "capturectl --json session stop door"),
      ("session close", "capturectl --json session close door"),
    ]

  /// "session show door": "session show".
  private static func words(of line: String) -> String {
    let words = line.split(separator: " ").map(String.init)
    let isGroup = !commands.keys.contains(words[0])
    return words.prefix(isGroup ? 2 : 1).joined(separator: " ")
  }

  /// These need a library, or a client that was paired: Tests/Interop/test_library.py and Tests/Interop/test_json.py run them.
  private static let elsewhere = ["library ", "timelapse ", "access "]

  @Test func eachPrintsObjectsAndNothingElse() async throws {
    let here = commands.keys.filter { command in !Self.elsewhere.contains { command.hasPrefix($0) } }
    #expect(Set(Self.lines.map(\.command)) == Set(here))
    let state = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: state) }
    let node = try SpawnedNode(state: state, camera: "synthetic:physics:160x120@60")
    for (command, line) in Self.lines {
      let result = try await node.shell(line)
      #expect(result.status == 0, "\(command): \(result.error)")
      let printed = result.output.split(separator: "\n")
      #expect(!printed.isEmpty, "\(command) prints nothing")
      for text in printed {
        let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(object?.isEmpty == false, "\(command): \(text)")
      }
    }
  }
}
