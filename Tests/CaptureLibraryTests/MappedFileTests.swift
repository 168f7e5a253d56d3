import CaptureSystem
import Glibc
import Testing

@testable import CaptureLibrary

@Suite struct MappedFileTests {
  let folder = TestFolder()
  private static let same: @Sendable (Errno) -> Errno = { $0 }

  /// The pages behind a file's end stand for those that a disk cannot read: the kernel sends the same signal for both, which would end this process.
  @Test func whatTheDiskDoesNotGiveIsAnError() {
    let file = open(folder.path + "/short", O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(write(file, "picture", 7) == 7)
    let more = 3 * Int(getpagesize())
    // The bytes are not looked at: a kernel that cannot read them first would send the signal.
    #expect(throws: Errno.inputOutput) {
      try MappedFile.with(file, count: more, failed: Self.same) { bytes throws(Errno) in bytes.count }
    }
  }

  @Test func allBytesOfAFileAreThere() throws {
    let file = open(folder.path + "/whole", O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(write(file, "picture", 7) == 7)
    let all = try MappedFile.with(file, count: 7, failed: Self.same) { bytes throws(Errno) in Array(bytes) }
    #expect(all == Array("picture".utf8))
  }
}
