import CaptureLibrary
import Foundation
import Testing

@testable import CaptureNode

@Suite struct LibraryConfigurationTests {
  private func read(_ text: String) throws -> LibraryConfiguration? {
    try JSON5Document<ConfigurationFile>(Data(text.utf8), named: "node.json5").contents.library
  }

  @Test func everyKeyIsRead() throws {
    let library = try read(
      """
      { library: { root: "/srv/pictures", quotaBytes: 50e9, maximumAgeDays: 30, freeBytes: 1e9, whenFull: "removeOldest" } }
      """)
    var expected = LibraryConfiguration(root: "/srv/pictures")
    (expected.quota, expected.maximumAge, expected.freeFloor) = (50_000_000_000, 30, 1_000_000_000)
    expected.removesOldest = true
    #expect(library == expected)
    #expect(try read("{}") == nil)
  }

  @Test(arguments: [
    ("{ library: {} }", "root"), ("{ library: { root: \"pictures\" } }", "absolute"),
    ("{ library: { root: \"/p\", quotaBytes: 10 } }", "quotaBytes"),
    ("{ library: { root: \"/p\", maximumAgeDays: 0 } }", "maximumAgeDays"),
    ("{ library: { root: \"/p\", freeBytes: -1 } }", "freeBytes"),
    ("{ library: { root: \"/p\", whenFull: \"burn\" } }", "removeOldest"),
    ("{ library: { root: \"/p\", size: 1 } }", "there is no such key"),
  ])
  func whatIsWrongIsNamed(_ text: String, _ words: String) {
    let error = #expect(throws: ConfigurationError.self) { try read(text) }
    #expect(error?.description.contains(words) == true)
  }
}
