import CaptureSystem
import Foundation
import Testing

@Suite struct SmallFileTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "small-\(UUID())").path

  private func with<R>(_ content: String, _ body: () throws -> R) throws -> R {
    try content.write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body()
  }

  @Test func allBytesOfALongFileAreRead() throws {
    let text = String(repeating: "0123456789", count: 5_000)
    #expect(try with(text) { try SmallFile.bytes(of: path, upTo: 50_000) } == Array(text.utf8))
  }

  @Test func aFilePastTheLimitIsRefused() throws {
    try with("12345") {
      _ = #expect(throws: Errno(rawValue: EFBIG)) { try SmallFile.bytes(of: path, upTo: 4) }
    }
  }

  @Test func aPipeIsReadToItsEndUpToTheLimit() throws {
    func read(upTo limit: Int) throws -> [UInt8] {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data("12345".utf8))
      try pipe.fileHandleForWriting.close()
      return try SmallFile.bytes(from: pipe.fileHandleForReading.fileDescriptor, upTo: limit)
    }
    #expect(try read(upTo: 5) == Array("12345".utf8))
    #expect(throws: Errno(rawValue: EFBIG)) { try read(upTo: 4) }
  }

  @Test(arguments: [("", ""), (" \n", ""), ("a", "a"), ("\t a b\n\n", "a b")])
  func textIsWithoutTheSpaceAroundIt(content: String, text: String) throws {
    #expect(try with(content) { try SmallFile.text(of: path) } == text)
  }

  @Test func whatTheKernelWritesOnDemandIsRead() throws {
    #expect(try SmallFile.text(of: "/proc/self/stat").hasPrefix("\(getpid()) ("))
    #expect(MonotonicClock.bootID.count == 36)
  }

  @Test func whatCannotBeReadSaysWhy() {
    #expect(throws: Errno(rawValue: ENOENT)) { try SmallFile.text(of: path) }
    #expect(throws: Errno(rawValue: EISDIR)) { try SmallFile.text(of: "/tmp") }
  }
}
