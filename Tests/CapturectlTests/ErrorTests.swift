import Foundation
import Testing

@testable import capturectl

/// How capturectl tells of failures, to programs and by its exit status.
@Suite(.serialized) struct ErrorTests {
  private struct Report: Decodable, Equatable {
    struct Failure: Decodable, Equatable {
      var code: String
      var message: String
      var details: Details?
    }
    struct Details: Decodable, Equatable {
      var reason: String
      var field: String?
      var possible: [String]?
      var range: Range?
      var holder: String?
      var remainingMs: Int?
      var device: String?
      var limit: String?
    }
    struct Range: Decodable, Equatable {
      var minimum: Double
      var maximum: Double
    }
    var error: Failure
  }

  /// The object in the last line of standard error.
  private func report(_ result: Programs.Result) throws -> Report.Failure {
    let line = try #require(result.error.split(separator: "\n").last)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Report.self, from: Data(line.utf8)).error
  }

  @Test func withJSONAFailureIsAnObject() async throws {
    let node = try SpawnedNode()
    let range = try await node.shell("capturectl --json expose 0 --duration 5")
    #expect(range.status == 1 && range.output.isEmpty)
    let first = try report(range)
    #expect(first.code == "INVALID_ARGUMENT" && first.message.contains("cannot be 5 s"))
    #expect(first.details?.reason == "VALUE_OUT_OF_RANGE")
    #expect(first.details?.field == "change.exposure.duration" && first.details?.device == "synthetic-0")
    #expect(first.details?.range == .init(minimum: 0.0001, maximum: 1))

    let name = try report(try await node.shell("capturectl --json formats nope"))
    #expect(name.code == "NOT_FOUND" && name.details?.reason == "UNKNOWN_NAME")
    #expect(name.details?.possible == ["synthetic-0"])

    let lease = try report(
      try await node.shell("capturectl lock 0 --for 60 --holder anna >/dev/null; capturectl --json zoom 0 2"))
    #expect(lease.code == "FAILED_PRECONDITION" && lease.details?.reason == "LEASE_HELD")
    #expect(lease.details?.holder == "anna" && (1...60_000).contains(lease.details?.remainingMs ?? 0))
  }

  @Test func failuresOfThisSideAreObjectsToo() async throws {
    let node = try SpawnedNode()
    let usage = try await node.shell("capturectl --json expose 0 --duration soon")
    let wrong = try report(usage)
    #expect(usage.status == 2 && wrong.code == "USAGE" && wrong.details == nil)
    let file = try await node.shell("capturectl --json photo 0 -o /nowhere/at/all.jpg")
    let local = try report(file)
    #expect(file.status == 1 && local.code == "LOCAL" && local.details == nil)
    let away = try await node.shell("capturectl --json --node unix:$PWD/none devices")
    let gone = try report(away)
    #expect(away.status == 1 && gone.code == "UNAVAILABLE" && gone.details?.reason == "NODE_UNREACHABLE")
    #expect(gone.message.contains("--node ADDRESS") && !away.error.contains("capturectl:"))
    let text = try await node.shell("capturectl --node unix:$PWD/none devices")
    #expect(text.error.hasPrefix("capturectl: UNAVAILABLE: no node at unix:"), "\(text.error)")
    #expect(text.error.hasSuffix("Another node is named with --node ADDRESS or $CAPTURE_NODE.\n"))
  }

  /// A megabyte and more: it is refused from a file and from standard input, and not read in part.
  @Test func aListOfNodesThatIsTooLongIsRefused() async throws {
    let folder = FileManager.default.temporaryDirectory
    let list = "nodes-\(UUID())"
    defer { try? FileManager.default.removeItem(at: folder.appending(path: list)) }
    let made = try await Programs.shell(
      "yes '# a node of the fleet' | head -c 1048577 > \(list)", node: "", in: folder)
    #expect(made.status == 0)
    for from in ["\(list)", "- < \(list)"] {
      let refused = try await Programs.shell("capturectl node add --from \(from)", node: "", in: folder)
      #expect(refused.status == 1)
      let name = from == list ? list : "standard input"
      #expect(refused.error.hasPrefix("capturectl: INVALID_ARGUMENT: \(name) cannot be read: "))
    }
  }

  // MARK: No text decides

  /// Commands that fail and commands that succeed, as one script prints each one's exit status, reason and code.
  private static let commands = [
    "devices", "formats 0", "formats nope", "controls 0", "get 0 brightness", "get 0 brightnes",
    "set 0 brightness=9", "set 0 brightness=99999", "set 0 exposure_time_absolute=10", "describe 0",
    "expose 0 --duration 0.01", "expose 0 --duration 9", "expose 0 --mode auto", "focus 0 --mode continuous",
    "zoom 0 2", "zoom 0 900", "torch 0 on", "inputs 0", "input 0 nope", "photo 0 -o p.jpg",
    "photo nope -o p.jpg", "photo 0 --size 33x44 -o p.jpg", "stream 0 -n 2 -o f%02d.jpg",
    "stream --session nope -n 1", "stream 0 -n 1 --format YUYV --size 5x5 -o x.raw", "profile list 0",
    "profile load 0 nope", "profile save 0 night", "profile save 0 night", "profile delete 0 night",
    "session configure door", "session configure door --input nope", "session configure door --input 0",
    "session configure door --video live", "session show door", "session show nope", "session start door",
    "photo 0 -o q.jpg", "stream --session door -n 1 -o q2.jpg", "photo --session door -o q3.jpg",
    "session stop door", "session close door",
    "session close door", "lock 0 --for 0.01", "lock 0 --for 60 --holder anna", "zoom 0 1", "leases",
    "unlock 0123456789abcdef0123456789abcdef", "unlock 0 --force", "unlock 0 --force", "watch nope",
    "photo 0 --dry-run", "photo 0 --dry-run --size 33x44", "photo 0 --time -500 -o r.jpg",
    "photo 0 --bracket-exposure 1/100,1/50 -o b%d.jpg", "photo 0 --bracket-exposure 1/100,900 -o n%d.jpg",
    "photo 0 --store", "library list", "library stats", "library get nope", "timelapse start 0 --interval 1",
    "timelapse list", "timelapse stop nope", "access list", "access revoke nobody",
    "calibrate 0 nope", "ping --count 1", "info", "status", "expose 0 --duration soon", "no-such-command",
  ]

  /// Some of what the node says for people, and nobody through the proxy.
  private static let texts = ["anna", "User Controls"]

  /// Runs the commands, with a node of their own. Returns a line for each: exit status, code and reason, and the files that they wrote.
  private func outcomes(through proxy: Bool) async throws -> [String] {
    let node = try SpawnedNode(camera: "synthetic:320x240@30")
    var address = node.address
    var silent: Process?
    if proxy {
      let path = node.directory.path + "/proxy"
      silent = try Self.proxy(path, to: String(node.address.dropFirst("unix:".count)))
      address = "unix:\(path)"
    }
    defer {
      // Its SIGTERM may be blocked, as in the thread that began it.
      if let silent { kill(silent.processIdentifier, SIGKILL) }
      silent?.waitUntilExit()
    }
    var found: [String] = []
    for command in Self.commands {
      let result = try await Programs.shell(
        "capturectl --json --timeout 10 \(command)", node: address, in: node.directory)
      var line = "\(command): \(result.status)"
      if proxy {
        for text in Self.texts { #expect(!result.output.contains(text), "\(command): \(result.output)") }
      }
      if result.status != 0 {
        let failure = try report(result)
        line += " \(failure.code) \(failure.details?.reason ?? "-")"
        if proxy, failure.code != "USAGE", failure.code != "LOCAL" {
          #expect(!failure.message.contains("cannot") && !failure.message.contains("there are"), "\(failure)")
        }
      }
      found.append(line)
    }
    found += node.files.filter { !$0.hasPrefix("proxy") }.map { "file \($0): 0" }
    return found
  }

  private static func proxy(_ path: String, to node: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Support/silent_proxy.py").standardizedFileURL.path
    process.arguments = [script, path, node]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The line may come in pieces.
    var said = ""
    while !said.hasSuffix("\n") {
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { throw Failure("the proxy ended after '\(said)'") }
      said += String(decoding: piece, as: UTF8.self)
    }
    guard said == "ready\n" else { throw Failure("the proxy said '\(said)'") }
    return process
  }

  @Test(.timeLimit(.minutes(4))) func withoutAnyTextOfTheNodesNothingChanges() async throws {
    let usual = try await outcomes(through: false)
    let silent = try await outcomes(through: true)
    for (one, other) in zip(usual, silent) { #expect(one == other) }
    #expect(usual.count == silent.count)
    let failed = usual.filter { !$0.hasSuffix(": 0") }
    #expect(failed.count > 20 && usual.count - failed.count > 20, "\(usual)")
    // A refusal by the node has a reason.
    #expect(failed.filter { $0.hasSuffix(" -") && !$0.contains("USAGE") && !$0.contains("LOCAL") } == [])
  }
}
