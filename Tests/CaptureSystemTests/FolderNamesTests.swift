import CaptureSystem
import Foundation
import Testing

@Suite struct FolderNamesTests {
  /// More than the C library reads at once: some entries end where its buffer does, as the address sanitizer sees.
  @Test func aLongFolderIsListedWhole() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = (0..<3_000).map { "\($0)" }
    for name in names {
      #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: nil))
    }
    #expect(try FolderNames.names(in: folder.path).sorted() == names.sorted())
  }

  @Test func whatIsNoFolderIsAnError() {
    #expect(throws: Errno.noEntry) { try FolderNames.names(in: "/nowhere") }
    #expect(throws: Errno.notDirectory) { try FolderNames.names(in: "/etc/passwd") }
  }
}
