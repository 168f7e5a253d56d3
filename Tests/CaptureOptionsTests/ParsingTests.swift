import Testing

@testable import CaptureOptions

@Suite struct ParsingTests {
  @Test(arguments: [
    "stream 0 --count 7", "stream 0 --count=7", "stream 0 -n 7", "stream 0 -n7", "stream -n=7 0",
    "stream 0 -n 3 -n 7",
  ])
  func everySpellingOfAValueIsRead(line: String) throws {
    let arguments = try Sample.run(line)
    #expect(arguments[Sample.count] == 7)
    #expect(arguments[Sample.camera] == "0")
    #expect(arguments.command == ["stream"])
  }

  @Test func programOptionsStandBeforeOrAfterTheCommand() throws {
    #expect(try Sample.run("--json stream 0")[Sample.json])
    #expect(try Sample.run("stream 0 --json")[Sample.json])
    #expect(try !Sample.run("stream 0")[Sample.json])
  }

  @Test func nestedCommandsGiveTheirPath() throws {
    #expect(try Sample.run("session list").command == ["session", "list"])
  }

  @Test func wordsAfterTwoDashesAreArguments() throws {
    let arguments = try Sample.run("get 0 -- --brightness -x")
    #expect(arguments.all(Sample.names) == ["--brightness", "-x"])
  }

  @Test func aSingleDashIsAValueAndAnArgument() throws {
    #expect(try Sample.run("stream - -o -")[Sample.output] == "-")
    #expect(try Sample.run("stream - -o -")[Sample.camera] == "-")
  }

  @Test func repeatableOptionsKeepEveryValueAndOthersTheLast() throws {
    #expect(try Sample.run("stream 0 --label a --label b").all(Sample.label) == ["a", "b"])
    #expect(try Sample.run("stream 0 -o a -o b").all(Sample.output) == ["b"])
  }

  @Test func commandLineBeatsEnvironmentBeatsDefault() throws {
    let environment = ["SAMPLE_NODE": "there"]
    #expect(try Sample.run("stream 0 --node x", environment)[Sample.node] == "x")
    #expect(try Sample.run("stream 0", environment)[Sample.node] == "there")
    #expect(try Sample.run("stream 0", ["SAMPLE_NODE": ""])[Sample.node] == "here")
    #expect(try !Sample.run("stream 0", environment).isGiven(Sample.node))
  }

  @Test func valuesAreTyped() throws {
    let arguments = try Sample.run("stream 0 --rate 29.97 --wait 0.25 --format raw")
    #expect(arguments[Sample.rate] == 29.97)
    #expect(arguments[Sample.wait] == .milliseconds(250))
    #expect(arguments[Sample.format] == "raw")
  }

  @Test(arguments: [
    ("stream", "CAMERA is missing: Which camera."),
    ("stream 0 1", "'1' is one argument too many"),
    ("stream 0 --count 101", "--count takes a whole number from 1 to 100, not '101'"),
    ("stream 0 --rate nan", "--rate takes a number of frames a second above 0 and up to 1000, not 'nan'"),
    ("stream 0 --wait inf", "--wait takes a number of seconds from 0.001 to 86400, not 'inf'"),
    ("stream 0 --format png", "--format takes jpeg or raw, not 'png'"),
    ("stream 0 --json=yes", "--json takes no value"),
    ("stream 0 --output", "--output needs a value: FILE"),
    ("stream 0 -o --json", "--output needs a value; write --output=--json if '--json' is meant"),
    ("stream 0 --ouptut x", "'sample stream' has no option '--ouptut'; did you mean '--output'?"),
    ("stream 0 -x", "'sample stream' has no option '-x'"),
    ("--count 3 stream 0", "'--count' has to follow its command; it belongs to: stream"),
    ("straem 0", "there is no command 'straem'; did you mean 'stream'?"),
    ("fly", "there is no command 'fly'; there are: stream, get, session"),
    ("", "a command is missing; there are: stream, get, session"),
    ("session", "a command is missing; there are: list, show"),
    ("get 0", "NAME is missing: Which controls."),
  ])
  func aWrongLineIsRefusedSayingWhatWouldBeRight(line: String, message: String) {
    #expect(Sample.refusal(line) == message)
  }

  /// What was typed is a foreign text: a script may have taken it from anywhere.
  @Test(arguments: [
    ["stream", "0", "--count", "X"], ["stream", "0", "X"], ["X"], ["stream", "0", "--X"],
    ["stream", "0", "--output", "--X"],
  ]) func whatWasTypedIsCutAndEscaped(words: [String]) throws {
    let long = "\u{1B}[2J\n\u{202E}" + String(repeating: "a", count: 60_000)
    let typed = words.map { $0.hasSuffix("X") ? $0.dropLast() + long : $0 }
    let error = #expect(throws: UsageError.self) { try Sample.program.parse(typed) { _ in nil } }
    let text = try #require(error?.description)
    #expect(text.utf8.count < 600 && text.contains("bytes)"), "\(text)")
    #expect(text.contains(#"\u{1B}[2J\n\u{202E}a"#) && !text.contains("\u{1B}"), "\(text)")
    #expect(text.split(separator: "\n").count == 2, "\(text)")
  }

  /// The options of a program that runs alone are for that.
  @Test(arguments: [
    ("--config a", ""), ("pair", ""), ("pair --role view", ""), ("pair --config a", "--config"),
    ("--config a pair", "--config"), ("--help pair", ""), ("pair --help", ""), ("pair --version", ""),
  ]) func whatRunsAloneKeepsItsOptions(line: String, refused: String) {
    let daemon = Program(
      Command(
        "daemon", summary: "Serves.", options: [Option("config", .file(), help: "Read it.")],
        commands: [
          Command("pair", summary: "Pairs.", options: [Option("role", .text("ROLE"), help: "Which.")])
        ],
        runsAlone: true), version: "1", exitStatuses: [])
    var message = ""
    do { _ = try daemon.parse(line.split(separator: " ").map(String.init)) { _ in nil } } catch {
      message = error.message
    }
    #expect(refused.isEmpty ? message.isEmpty : message.contains("'daemon pair' has no option '\(refused)'"))
    #expect(!daemon.help(for: [daemon.root, daemon.root.commands[0]]).contains("--config"))
  }

  @Test func aWrongVariableIsRefusedByItsName() throws {
    let program = Program(
      Command(
        "one", summary: "One.", options: [Option("n", .integer("N", in: 1...2), help: "N.", environment: "N")]
      ),
      version: "1", exitStatuses: [])
    let error = #expect(throws: UsageError.self) { try program.parse([]) { _ in "9" } }
    #expect(error?.description == "one: $N takes a whole number from 1 to 2, not '9'\nTry 'one --help'.")
  }

  @Test(arguments: [("brigthness", "brightness", 1), ("", "ab", 2), ("same", "same", 0), ("abc", "xyz", 3)])
  func editDistanceCountsSwapsOnce(a: String, b: String, distance: Int) {
    #expect(editDistance(a, b) == distance)
  }
}
