import Foundation
import Testing

/// What one user writes, on another's terminal and in the node's log.
@Suite(.serialized) struct ForeignTextTests {
  private static let hidden = "\u{1B}[31m\n<0>forged\u{85}\u{9B}2J\u{202E}\u{2028}\u{200B}"
  private static let shown = #"\u{1B}[31m\n<0>forged\u{85}\u{9B}2J\u{202E}\u{2028}\u{200B}"#

  /// Nothing but printable text in lines.
  private static func isClean(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n"
        || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
          scalar.properties.generalCategory)
    }
  }

  @Test func aHoldersNameIsWhatItLooksLike() async throws {
    let node = try SpawnedNode()
    try Data(Self.hidden.utf8).write(to: node.directory.appending(path: "holder"))
    let said = try await node.shell(
      """
      token=$(capturectl lock 0 --for 60 --holder "$(cat holder)") || exit 9
      capturectl leases
      capturectl zoom 0 2
      capturectl --lease $token unlock
      capturectl lock 0 --for 60 --holder "$(cat holder)" > /dev/null && capturectl unlock 0 --force
      """)
    #expect(said.output.contains("is free: \(Self.shown) had it for another"), "\(said)")
    #expect(said.output.contains(Self.shown) && said.error.contains("leased by \(Self.shown) for"), "\(said)")
    #expect(Self.isClean(said.output) && Self.isClean(said.error), "\(said)")
  }

  @Test func inJSONItIsEscapedAndTheSame() async throws {
    struct Answer: Decodable {
      struct Lease: Decodable { var holder: String }
      var leases: [Lease]
    }
    let node = try SpawnedNode()
    try Data(Self.hidden.utf8).write(to: node.directory.appending(path: "holder"))
    let said = try await node.shell(
      #"capturectl lock 0 --for 60 --holder "$(cat holder)" > token && capturectl leases --json"#)
    #expect(said.status == 0, "\(said)")
    #expect(said.output.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) }, "\(said)")
    let answer = try JSONDecoder().decode(Answer.self, from: Data(said.output.utf8))
    #expect(answer.leases.map { Array($0.holder.unicodeScalars) } == [Array(Self.hidden.unicodeScalars)])
  }

  @Test func aNameInTheLogIsOnItsLineAndShort() async throws {
    let node = try SpawnedNode()
    try Data(Self.hidden.utf8).write(to: node.directory.appending(path: "name"))
    let said = try await node.shell(
      """
      capture-node --listen unix:$PWD/socket2 --camera synthetic:320x240@30 --state none --log-level debug > out2 2> log &
      node=$!
      until grep -q listening out2; do sleep 0.05; done
      long=$(cat name)$(head -c 60000 /dev/zero | tr '\\0' y)
      for command in formats controls photo stream; do
        capturectl --node unix:$PWD/socket2 $command "$long" > /dev/null 2>> errors
      done
      kill $node; wait $node
      cat log
      """)
    let lines = said.output.split(separator: "\n")
    #expect(lines.filter { $0.contains(Self.shown) }.count == 4, "\(said)")
    let line = #/^[0-9-]{10}T[0-9:.+-]{17} (debug|info|audit): /#
    #expect(lines.allSatisfy { $0.utf8.count < 1000 && $0.contains(line) }, "\(said)")
    #expect(Self.isClean(said.output))
    let errors = String(decoding: node.bytes("errors"), as: UTF8.self)
    #expect(errors.contains("(60030 bytes)") && errors.utf8.count < 4000 && Self.isClean(errors), "\(errors)")
  }

  @Test(arguments: [".", ".."]) func pathsAreNoNames(_ name: String) async throws {
    let node = try SpawnedNode()
    for command in ["profile save 0 \(name)", "session configure \(name) --input 0"] {
      let said = try await node.shell("capturectl \(command)")
      #expect(said.status == 1 && said.error.contains("INVALID_ARGUMENT: '\(name)'"), "\(said)")
    }
  }
}
