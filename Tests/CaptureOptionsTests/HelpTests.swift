import Testing

@testable import CaptureOptions

@Suite struct HelpTests {
  private func printed(_ line: String) throws -> String {
    let invocation = try Sample.program.parse(line.split(separator: " ").map(String.init)) { _ in nil }
    guard case .print(let text) = invocation else { return "" }
    return text
  }

  @Test func helpOfTheProgramListsItsCommandsAndOptions() throws {
    #expect(
      try printed("--help") == """
        Shows a table.

        Usage: sample [OPTIONS] COMMAND

        Commands:
          stream   Receive frames.
          get      Print values.
          session  Sessions.

        Options:
          --node ADDRESS  Where to connect. (default: here; also $SAMPLE_NODE)
          --json          Print JSON.
          --version       Show the version and exit.
          -h, --help      Show this help and exit.

        'sample COMMAND --help' says more about a command.

        """)
  }

  @Test func helpOfACommandListsItsArgumentsOptionsAndExamples() throws {
    #expect(
      try printed("get --help") == """
        Print values.

        Usage: sample get [OPTIONS] CAMERA NAME...

        Arguments:
          CAMERA  Which camera.
          NAME    Which controls.

        Options of every command:
          --node ADDRESS  Where to connect. (default: here; also $SAMPLE_NODE)
          --json          Print JSON.
          --version       Show the version and exit.
          -h, --help      Show this help and exit.

        """)
    #expect(
      try printed("stream -h").contains("Examples:\n  sample stream 0 -o a.jpg\n      Writes one file."))
  }

  @Test func helpIsFoundWhereverItIsAskedFor() throws {
    let help = try printed("stream --help")
    #expect(try printed("--help stream") == help)
    #expect(try printed("help stream") == help)
    #expect(try printed("stream -n 3 -h") == help)
  }

  @Test func versionIsPrinted() throws {
    #expect(try printed("--version") == "sample 1.2.3\n")
  }

  @Test func longLabelsAndTextsStayWithinTheWidth() {
    let lines = twoColumns(
      [("--a-label-that-is-far-too-long VALUE", String(repeating: "word ", count: 40)), ("-s", "Short.")],
      width: 60)
    #expect(lines.allSatisfy { $0.count <= 60 })
    #expect(lines.first == "  --a-label-that-is-far-too-long VALUE")
  }

  @Test func manPageEscapesWhatRoffWouldRead() throws {
    let program = Program(
      Command("a-b", summary: "Dots.", discussion: [".hidden \\ 'x'"]), version: "1",
      exitStatuses: [(0, "Well.")])
    let page = program.manPage
    #expect(page.contains("\n\\&.hidden \\e 'x'\n"))
    #expect(page.contains("a\\-b \\- dots\n"))
    #expect(page.contains(".SH EXIT STATUS\n.TP\n.B 0\nWell.\n"))
  }
}
