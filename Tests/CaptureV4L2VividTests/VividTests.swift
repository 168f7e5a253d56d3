import CaptureModel
import CaptureV4L2
import Foundation
import Testing

/// Tests on the kernel's own vivid driver: one single-planar and one multi-planar camera (`scripts/vm/swift-tests`).
///
/// They run one at a time, because they share the two cameras, and only where CAPTURE_VIVID is set; there they fail without vivid.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["CAPTURE_VIVID"] != nil))
enum VividTests {
  /// The smallest picture that vivid makes, at its usual rate.
  static let small = FrameSize(width: 320, height: 180)
  static let thirty = FrameInterval(numerator: 1, denominator: 30)
  static let smallYUYV = StreamRequest(pixelFormat: .yuyv, size: small, interval: thirty)

  static let singlePlanar = CameraID(rawValue: "platform-vivid-000")
  static let multiPlanar = CameraID(rawValue: "platform-vivid-001")
}

/// Runs a program to its end and returns what it printed.
@discardableResult
func run(_ command: String...) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return text
}

/// Waits for a condition, at most so long.
func wait(
  _ limit: Duration = .seconds(5), for what: String,
  until condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { throw TimedOut(description: "waited \(limit) for \(what)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}

struct TimedOut: Error, CustomStringConvertible {
  var description: String
}

/// Descriptors that this process has open.
func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// How many descriptors of cameras this process has open, also of one that has gone.
func openCameraDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0))?
      .hasPrefix("/dev/video") ?? false
  }
}
