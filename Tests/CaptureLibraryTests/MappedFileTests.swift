import CaptureSystem
import Glibc
import Testing

@testable import CaptureLibrary

@Suite struct MappedFileTests {
  let folder = TestFolder()

  /// The pages behind a file's end stand for those that a disk cannot read: the kernel sends the same signal for both, which would end this process.
  @Test func whatTheDiskDoesNotGiveIsAnError() {
    let file = open(folder.path + "/short", O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(write(file, "picture", 7) == 7)
    let more = 3 * Int(getpagesize())
    #expect(throws: Errno.inputOutput) { try read(file, more) }
  }

  @Test func allBytesOfAFileAreThere() throws {
    let file = open(folder.path + "/whole", O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(write(file, "picture", 7) == 7)
    #expect(try read(file, 7) == Array("picture".utf8))
  }

  private func read(_ file: Int32, _ count: Int) throws(Errno) -> [UInt8] {
    try MappedFile.with(file, count: count, failed: { $0 }) { bytes throws(Errno) in Array(bytes) }
  }
}
