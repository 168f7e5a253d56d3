import Foundation
import Testing

@testable import CaptureSystem

@Suite struct ProgramCodeTests {
  @Test func itsMemoryIsGivenBackAndItRunsOn() throws {
    let before = try fileMemory()
    ProgramCode.letGo()
    #expect(try fileMemory() < before)
    #expect(try fileMemory() > 0)
  }

  /// The memory of mapped files, in KiB.
  private func fileMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
