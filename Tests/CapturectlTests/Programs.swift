import Foundation
import Testing

@testable import capturectl

/// The built programs, run as a person runs them.
enum Programs {
  /// Where the build put the programs: beside the test bundle.
  static let directory: URL = {
    let places = CommandLine.arguments + [Bundle.main.executablePath ?? ""]
    let bundle = places.first { $0.contains(".xctest") } ?? places[0]
    var url = URL(fileURLWithPath: bundle).deletingLastPathComponent()
    while url.path != "/", !FileManager.default.fileExists(atPath: url.appending(path: "capture-node").path) {
      url.deleteLastPathComponent()
    }
    return url
  }()

  struct Result {
    var status: Int32
    var output: String
    var error: String
  }

  /// Runs a line of shell in which `capturectl` is ours, and waits for its end, at most two minutes (status 124).
  static func shell(_ line: String, node: String, in directory: URL) async throws -> Result {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    shell.arguments = ["--kill-after=5", "120", "/bin/bash", "-c", line]
    shell.currentDirectoryURL = directory
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(Self.directory.path):\(environment["PATH"] ?? "")"
    environment["CAPTURE_NODE"] = node
    shell.environment = environment
    let files = ["out", "err"].map { directory.appending(path: ".\($0)-\(UUID())") }
    for file in files { try Data().write(to: file) }
    shell.standardOutput = try FileHandle(forWritingTo: files[0])
    shell.standardError = try FileHandle(forWritingTo: files[1])
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      shell.terminationHandler = { _ in continuation.resume() }
      do { try shell.run() } catch { continuation.resume(throwing: error) }
    }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    return Result(
      status: shell.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
      error: try String(contentsOf: files[1], encoding: .utf8))
  }
}

/// A node with a small synthetic camera, until it is let go.
final class SpawnedNode: Sendable {
  let directory = FileManager.default.temporaryDirectory.appending(
    path: "node-\(UUID().uuidString.prefix(8))")
  let process = Process()
  var address: String { "unix:\(directory.path)/socket" }

  /// Returns when it listens. `state`: its file; none without. `configuration`: what its configuration file has.
  init(
    state: String = "none", camera: String = "synthetic:320x240@30", configuration: String? = nil
  ) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    process.executableURL = Programs.directory.appending(path: "capture-node")
    process.arguments = ["--listen", address, "--camera", camera, "--state", state]
    if let configuration {
      let file = directory.appending(path: "configuration")
      try configuration.write(to: file, atomically: false, encoding: .utf8)
      process.arguments! += ["--config", file.path]
    }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("listening on ") else { throw Failure("the node said '\(line)'") }
  }

  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// SIGTERM; returns when it has ended.
  func terminate() {
    Glibc.kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  func shell(_ line: String) async throws -> Programs.Result {
    try await Programs.shell(line, node: address, in: directory)
  }

  /// Files of the directory, hidden ones included, the socket not.
  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
      .filter { !$0.hasPrefix("socket") && !$0.hasPrefix(".out-") && !$0.hasPrefix(".err-") }.sorted()
  }

  func bytes(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: directory.appending(path: name))).map(Array.init) ?? []
  }
}
