import CaptureClient
import CaptureModel
import CaptureOptions
import CaptureSystem
import Foundation
import Testing

@testable import capturectl

@Suite struct TableTests {
  private func parse(_ line: String, _ environment: [String: String] = [:]) throws -> Arguments {
    let invocation = try Program.capturectl.parse(line.split(separator: " ").map(String.init)) {
      environment[$0]
    }
    guard case .run(let arguments) = invocation else { throw Failure("printed") }
    return arguments
  }

  private func printed(_ words: [String]) throws -> String {
    guard case .print(let text) = try Program.capturectl.parse(words, environment: { _ in nil }) else {
      return ""
    }
    return text
  }

  @Test func everyCommandDoesSomethingAndHasAnExampleThatParses() throws {
    for (name, command) in Self.leaves {
      #expect(commands[name] != nil || localCommands[name] != nil || name == "completions")
      #expect(!command.examples.isEmpty)
      for example in command.examples where example.line.hasPrefix("capturectl ") {
        let line = example.line.prefix { $0 != "|" }.replacingOccurrences(of: "'Manual Mode'", with: "Manual")
          .replacingOccurrences(of: "'", with: "")
        _ = try parse(String(line.dropFirst("capturectl ".count)))
      }
    }
    #expect(commands.count + localCommands.count + 1 == Self.leaves.count)
    #expect(lastingCommands.allSatisfy { commands[$0] != nil })
  }

  @Test func commandsForAnAdminSaySo() {
    let named = Self.leaves.filter { $0.command.summary.hasSuffix("For an admin.") }.map(\.name)
    #expect(Set(named) == AdminCommands.names)
  }

  /// Commands that have none below them.
  private static var leaves: [(name: String, command: Command)] {
    func below(_ command: Command, _ path: [String]) -> [(String, Command)] {
      if command.commands.isEmpty { return [(path.joined(separator: " "), command)] }
      return command.commands.flatMap { below($0, path + [$0.name]) }
    }
    return below(Program.capturectl.root, [])
  }

  @Test func helpFitsEightyColumns() throws {
    for words in [[]] + Self.leaves.map({ $0.name.split(separator: " ").map(String.init) }) {
      let help = try printed(words + ["--help"])
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test func aTimelapsesIntervalIsASecondToAWeek() throws {
    for seconds in [1, 1.5, 604_800] {
      let arguments = try parse("timelapse start 0 --interval \(seconds)")
      #expect(arguments[Options.interval] == .seconds(seconds))
    }
    for seconds in [0.5, 604_801] {
      #expect(throws: UsageError.self) { try parse("timelapse start 0 --interval \(seconds)") }
    }
  }

  @Test func theNodeIsTheOneGivenThenTheEnvironmentsThenNone() throws {
    let environment = ["CAPTURE_NODE": "unix:/run/x"]
    #expect(try parse("--node [::1]:9 info", environment)[Options.node]?.description == "[::1]:9")
    #expect(try parse("info", environment)[Options.node] == .unix(path: "/run/x"))
    #expect(try parse("info")[Options.node] == nil)
  }

  @Test func streamOptionsBecomeARequest() throws {
    let arguments = try parse(
      "stream 0 --size 640x480 --rate 12.5 --format NV12 --count 3 --duration 2 --timeout 0.5 -o a%03d.yuv")
    #expect(arguments[Options.size] == FrameSize(width: 640, height: 480))
    #expect(arguments[Options.rate] == 12.5)
    #expect(arguments[Options.format] == VideoRequest(encoding: .raw, pixelFormat: .nv12))
    #expect(
      arguments[Options.streamOutput] == .numbered(NumberedName(prefix: "a", digits: 3, suffix: ".yuv")))
    #expect(arguments[Options.timeout] == .milliseconds(500))
    #expect(try parse("stream 0 --format jpeg")[Options.format] == VideoRequest())
    #expect(try parse("stream 0 --format raw")[Options.format] == VideoRequest(encoding: .raw))
    for (word, format) in [
      ("bgra", .ar24), ("rgb24", .rgb3), ("nv12", .nv12), ("i420", .yu12), ("grey", .grey), ("GREY", .grey),
    ] as [(String, PixelFormat)] {
      #expect(
        try parse("stream 0 --format \(word)")[Options.format]
          == VideoRequest(encoding: .raw, pixelFormat: format))
    }
  }

  @Test(arguments: [
    "stream", "stream 0 --size 640", "stream 0 --size 0x480", "stream 0 --rate 0", "stream 0 --rate 1001",
    "stream 0 --quality 101", "stream 0 --subsampling 444", "stream 0 --format TOOLONG", "stream 0 --count 0",
    "stream 0 -o %s", "stream 0 --rate 30/0", "stream 0 --rate 30/1/1",
    "stream 0 -o %d%d", "set 0 brightness", "set 0 =5", "set 0", "get 0", "photo",
    "photo 0 --rate 5", "photo 0 --settle 31", "photo 0 --settle=-1", "photo 0 --settle nan",
    "photo 0 --settle soon",
    "stream 0 --session door", "stream --session door/", "stream --session a/b/c",
    "session", "session configure", "session configure door --preset 4k", "session start",
    "session configure door --orientation 45", "session configure door --crop-factor 0.5",
    "session configure door --crop-factor nan", "session configure door --video =0", "completions tcsh",
    "--node :7311 info", "--timeout 0 info", "--timeout x info",
    "expose 0 --iso nan", "expose 0 --iso much", "expose 0 --duration 1/0", "focus 0 --at 1.1,0",
    "focus 0 --at nan,0",
    "white-balance 0 --temperature inf", "white-balance 0 --gains 1,2", "white-balance 0 --gains 1,nan,1",
    "white-balance 0 --gains 0.5,-1,0",
    "frame-duration 0 --minimum 0", "frame-duration 0 --minimum -1/30", "frame-duration 0 --maximum 1/0",
    "frame-duration 0 --maximum nan", "frame-duration 0 --maximum 1/30/2", "frame-duration 0 --minimum 1000",
    "zoom 0 nan", "zoom 0 0", "zoom 0 wide", "zoom 0 2 --rate inf",
  ])
  func impossibleRequestsAreUsageErrors(line: String) {
    #expect(throws: UsageError.self) { try parse(line) }
  }

  @Test func aNameThatIsTooLongOrBeginsWithADotIsRefusedWithWhatIsPossible() throws {
    let longest = String(repeating: "a", count: 63)
    #expect(try parse("credential new \(longest)")[Options.credentialName] == longest)
    for name in [longest + "a", ".desk"] {
      let error = try #require(throws: UsageError.self) { try parse("credential new \(name)") }
      #expect(
        error.message.contains(
          "takes 1 to 63 letters, digits, '.', '_' and '-', without '.' or '-' at the beginning, not '"))
    }
  }

  @Test func aMomentThatNoStreamReachesIsRefusedPlainly() throws {
    #expect(try parse("photo 0 --time -8999999999")[Options.photoTime] == .ago(.seconds(8_999_999_999)))
    for seconds in ["9999999999", "9999999999999", "1e300"] {
      let error = try #require(throws: UsageError.self) { try parse("photo 0 --time=-\(seconds)") }
      #expect(
        error.message.contains(
          "--time cannot be '\(seconds)' seconds ago; the node keeps the frames of a stream's last seconds"))
    }
    for text in ["-inf", "-nan", "soon"] {
      let error = try #require(throws: UsageError.self) { try parse("photo 0 --time=\(text)") }
      #expect(error.message.contains("--time takes 'now', 'next', seconds ago like -2.5"))
    }
  }

  @Test(arguments: ["-9999999999", "9999-12-31", "9999-12-31T23:59:59Z", "2262-01-02"])
  func aMomentBeyondWhatNanosecondsCountIsRefused(text: String) throws {
    let error = try #require(throws: UsageError.self) { try parse("library list --since=\(text)") }
    #expect(error.message.contains("--since takes a time before 2262 like 2026-11-25"))
  }

  @Test func theLastMomentIsThatOfTheLibrary() throws {
    let moment = try parse("library list --until 2261-12-31T23:59:59.5Z")[Options.until]
    #expect(moment == 9_214_646_399_500_000_000)
  }

  @Test func aPhotoWaitsForNothingOrForSomeSeconds() throws {
    #expect(try parse("photo 0")[Options.settle] == nil)
    #expect(try parse("photo 0 --settle none")[Options.settle] == .zero)
    #expect(try parse("photo 0 --settle 0")[Options.settle] == .zero)
    #expect(try parse("photo 0 --settle 0.5")[Options.settle] == .milliseconds(500))
    #expect(try parse("photo 0 --settle 30")[Options.settle] == .seconds(30))
  }

  /// The node's error names the camera's range.
  @Test func whatIsOutOfACamerasRangeIsNotForTheCommandLineToSay() throws {
    #expect(try parse("expose 0 --iso 0")[Options.iso] == 0)
    #expect(try parse("expose 0 --duration -1")[Options.exposureDuration] == -1)
    #expect(try parse("white-balance 0 --temperature -1")[Options.temperature] == -1)
    #expect(try parse("zoom 0 -1 --rate -2")[Options.zoomFactor] == -1)
    #expect(try parse("white-balance 0 --tint 20")[Options.tint] == 20)
  }

  @Test func aSessionStandsForACamera() throws {
    #expect(try parse("stream --session door")[Options.sessionSource] == .session("door"))
    #expect(
      try parse("photo --session door/still")[Options.sessionSource] == .session("door", output: "still"))
  }

  @Test func aRateCanBeAFraction() throws {
    #expect(try parse("stream 0 --rate 30000/1001")[Options.rate] == 30_000.0 / 1001)
  }

  @Test func framesLastAFractionOfASecondOrASecondsPart() throws {
    let both = try parse("frame-duration 0 --minimum 1001/30000 --maximum 0.04")
    #expect(both[Options.minimumFrameDuration] == FrameInterval(numerator: 1001, denominator: 30_000))
    #expect(both[Options.maximumFrameDuration] == FrameInterval(numerator: 400_000, denominator: 10_000_000))
    #expect(try parse("frame-duration 0 --minimum none")[Options.minimumFrameDuration] == .some(nil))
    #expect(try parse("frame-duration 0 --minimum 1")[Options.maximumFrameDuration] == nil)
  }

  @Test func settingsKeepEverythingBehindTheFirstEqualsSign() throws {
    #expect(
      try parse("set 0 a=b=c d=").all(Options.assignments) == [
        Assignment(name: "a", literal: "b=c"), Assignment(name: "d", literal: ""),
      ])
  }

  /// scripts/setup installs them for tests; a shell that is not there is passed over.
  @Test(arguments: Page.shells)
  func shellsReadTheirCompletions(shell: Page) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "completions-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try await Programs.shell(
      "command -v \(shell.rawValue) || exit 0; capturectl completions \(shell.rawValue) > _capturectl"
        + " && \(shell.rawValue) -n _capturectl", node: "", in: folder)
    #expect(result.status == 0 && result.error.isEmpty, "\(shell): \(result.error)")
  }

  @Test(arguments: ["capturectl", "capture-node"])
  func theCommittedManualPagesAreTheTables(program: String) async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/man/\(program).1"), encoding: .utf8)
    let printed = try await Programs.shell(
      "\(program) --generate man", node: "", in: FileManager.default.temporaryDirectory)
    #expect(page == printed.output, "run scripts/generate-man")
  }
}
