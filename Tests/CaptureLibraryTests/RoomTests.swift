import CaptureLibrary
import CaptureModel
import Testing

@Suite struct RoomTests {
  let folder = TestFolder()

  @Test func theQuotaRefusesAndSaysSo() async throws {
    let library = try await PhotoLibrary.opened(folder) { $0.quota = 20 }
    try await library.add("1")  // 9 bytes
    try await library.add("2")
    let error = await failure { try await library.add("3") }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.details?.reason == .quotaReached)
    #expect(error?.details?.bound == 20)
    #expect(folder.files.count == 2)
    let first = try await library.all()[1]
    _ = try await library.delete([first.id])
    try await library.add("3")
    library.close()
  }

  @Test func theOldestMakeRoomExceptForThoseThatAreKept() async throws {
    let library = try await PhotoLibrary.opened(folder) {
      $0.quota = 20
      $0.removesOldest = true
    }
    try await library.add("1", at: 1_000_000_000, labels: ["keep"])
    try await library.add("2", at: 2_000_000_000)
    try await library.add("3", at: 3_000_000_000)
    #expect(try await library.all().map(\.created) == [3_000_000_000, 1_000_000_000])
    // What cannot fit removes nothing.
    #expect(await failure { try await library.add("a picture that is too long") } != nil)
    #expect(try await library.all().count == 2)
    #expect(folder.files.count == 2)
    library.close()
  }

  @Test func theFloorOfFreeSpaceRefuses() async throws {
    let library = try await PhotoLibrary.opened(folder) { $0.freeFloor = .max / 4 }
    let error = await failure { try await library.requireRoom() }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.details?.reason == .diskFull)
    library.close()
  }
}
