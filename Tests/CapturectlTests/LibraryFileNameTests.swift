import Testing

@testable import capturectl

/// A node names the files of its library. No name may lead out of the folder into which they are written.
@Suite struct LibraryFileNameTests {
  @Test(arguments: ["../../bin/x", "/etc/x", "a/b.jpg", "..", ".bashrc", "", "a\u{202E}gpj.exe", "a\nb.jpg"])
  func whatLeadsElsewhereIsRefused(name: String) {
    #expect(throws: Failure.self) { try plainFileName(name) }
  }

  @Test func plainNamesStay() throws {
    #expect(try plainFileName("20261125-081502-123.jpg") == "20261125-081502-123.jpg")
  }
}
