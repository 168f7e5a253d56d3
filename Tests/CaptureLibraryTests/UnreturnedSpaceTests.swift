import CaptureModel
import CaptureSystem
import Glibc
import Synchronization
import Testing

@testable import CaptureLibrary

@Suite struct UnreturnedSpaceTests {
  let folder = TestFolder()
  private static let megabyte = 1_000_000

  /// A library that removes the oldest, with so many assets of a megabyte.
  private func library(_ count: Int, on disk: LibraryDisk) async throws -> OpenLibrary {
    let library = try OpenLibrary.idle(in: folder, disk: disk) { $0.removesOldest = true }
    let bytes = Payload(
      copying: Array("picture ".utf8) + [UInt8](repeating: 0, count: Self.megabyte - 8))
    for created in 1...count {
      var asset = NewAsset(.captured)
      asset.created = Int64(created)
      let addition = AssetAddition(asset, to: library)
      try await addition.begin(.jpeg, bytes: Int64(Self.megabyte), sha256: nil)
      try await addition.append(bytes)
      _ = try await addition.finish()
    }
    return library
  }

  /// The bytes of a disk of 20 MB that the library's pictures leave.
  private static func free(_ folder: TestFolder) -> Int64 {
    folder.files.reduce(Int64(20 * megabyte)) { free, file in
      var status = stat()
      return lstat(folder.path + "/" + file, &status) == 0 ? free - Int64(status.st_size) : free
    }
  }

  /// As where each file has a hard link, or is in a snapshot.
  @Test func whereRemovingGivesNoSpaceBackLittleIsRemoved() async throws {
    let free = Mutex<Int64>(.max / 2)
    let syncs = Mutex(0)
    let disk = LibraryDisk(free: { _ in free.withLock { $0 } }, sync: { _ in syncs.withLock { $0 += 1 } })
    let library = try await library(24, on: disk)
    free.withLock { $0 = 0 }
    for _ in 0..<5 {
      let refusal = await failure { try await library.reserve(Int64(Self.megabyte)) }
      #expect(refusal?.details?.reason == .diskFull)
      #expect(refusal?.message.contains("their space has not become free") == true)
    }
    #expect(try await library.entries().map(\.created) == [24, 23, 22, 21, 20, 19, 18, 17])
    #expect(syncs.withLock { $0 } == 16)
    // Space becomes free otherwise.
    free.withLock { $0 = .max / 2 }
    try await library.reserve(Int64(Self.megabyte))
    library.release(Int64(Self.megabyte))
    // Others use it at once. What had not become free before is no reason any more.
    free.withLock { $0 = 0 }
    _ = await failure { try await library.reserve(Int64(Self.megabyte)) }
    #expect(try await library.entries().count < 8)
    library.close()
  }

  @Test func whereItGivesSpaceBackTheOldestMakeRoom() async throws {
    let library = try await library(20, on: LibraryDisk(free: { [folder] _ in Self.free(folder) }))
    try await library.reserve(Int64(18 * Self.megabyte))
    #expect(try await library.entries().map(\.created) == [20, 19])
    library.close()
  }

  /// As on a file system that frees the blocks of removed files with its next transaction.
  @Test func spaceThatIsGivenBackLaterIsWaitedFor() async throws {
    let free = Mutex<Int64>(.max / 2)
    let disk = LibraryDisk(
      free: { _ in free.withLock { $0 } },
      sync: { [folder] _ in
        let now = Self.free(folder)
        free.withLock { $0 = now }
      })
    let library = try await library(20, on: disk)
    free.withLock { $0 = 0 }
    try await library.reserve(Int64(Self.megabyte))
    #expect(try await library.entries().count == 19)
    library.close()
  }

  // MARK: By itself

  private static let minute: UInt64 = 60_000_000_000
  private let lost = ReturnedSpace(removed: 20_000_000, before: 100, free: 100)

  @Test func oneMoreAttemptIsMadeAfterPausesThatGrow() {
    var unreturned = UnreturnedSpace()
    #expect(unreturned.forbidsRemoval(at: 0) == false)
    unreturned.note(lost, at: 0)
    #expect(unreturned.forbidsRemoval(at: Self.minute - 1) == true)
    #expect(unreturned.forbidsRemoval(at: Self.minute) == false)
    unreturned.note(lost, at: Self.minute)
    #expect(unreturned.forbidsRemoval(at: 3 * Self.minute - 1) == true)
    #expect(unreturned.forbidsRemoval(at: 3 * Self.minute) == false)
    for _ in 0..<30 { unreturned.note(lost, at: 0) }
    #expect(unreturned.forbidsRemoval(at: 24 * 60 * Self.minute) == false)
  }

  @Test func spaceThatBecomesFreeEndsIt() {
    var unreturned = UnreturnedSpace()
    unreturned.note(lost, at: 0)
    unreturned.noteFree(5_000_099)
    #expect(unreturned.forbidsRemoval(at: 1) == true)
    unreturned.noteFree(5_000_100)
    unreturned.noteFree(100)
    #expect(unreturned.forbidsRemoval(at: 1) == false && unreturned.bytes == 0)
    unreturned.note(lost, at: 1)
    unreturned.note(ReturnedSpace(removed: 20_000_000, before: 100, free: 10_000_100), at: 1)
    #expect(unreturned.forbidsRemoval(at: 1) == false && unreturned.bytes == 0)
  }
}
