import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureLibrary

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

  @Test func whatCannotFitRemovesNothing() async throws {
    let library = try await PhotoLibrary.opened(folder) {
      $0.quota = 30
      $0.removesOldest = true
    }
    try await library.add("1", at: 1_000_000_000, labels: ["keep"])
    try await library.add("2", at: 2_000_000_000)
    // It is smaller than the quota, but not with what is kept.
    let error = await failure { try await library.add(String(repeating: "x", count: 20)) }
    #expect(error?.details?.reason == .quotaReached)
    #expect(try await library.all().count == 2)
    try await library.add(String(repeating: "x", count: 13))
    #expect(try await library.all().map(\.labels) == [[], ["keep"]])
    library.close()
  }

  @Test func whatAClientKeepsWhileRoomIsMadeStays() async throws {
    let path = "\(folder.path)/.capture-library/index.sqlite"
    let wanted = Mutex<AssetID?>(nil)
    let library = try OpenLibrary.idle(in: folder) {
      $0.quota = 3192  // what the 300 assets have
      $0.removesOldest = true
    } report: { notice in
      // Some have been removed, and others are next.
      guard case .removed(_, .noRoom) = notice, let id = wanted.withLock({ $0.take() }) else { return }
      do {
        let index = try LibraryIndex(path: path)
        #expect(try index.label([id], add: [AssetLabel.keep], remove: []).count == 1)
      } catch {
        Issue.record(error)
      }
    }
    for created in 1...300 { try await library.add(at: Int64(created)) }
    let assets = try await library.entries()
    #expect(assets.count == 300)
    wanted.withLock { wanted in wanted = assets.first { $0.created == 290 }?.id }
    try await library.reserve(assets.filter { $0.created <= 295 }.reduce(0) { $0 + $1.bytes })
    #expect(try await library.entries().map(\.created) == [300, 299, 298, 297, 290])
    library.close()
  }

  /// As where it gets the label just after it was chosen.
  @Test func aRemovalThatSparesWhatIsKeptRemovesTheOthers() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let kept = try await library.add(at: 1, labels: [AssetLabel.keep])
    let other = try await library.add(at: 2)
    let removed = try await library.delete([kept.id, other.id], sparingKept: true)
    #expect(removed.map(\.id) == [other.id])
    #expect(try await library.entries().map(\.id) == [kept.id])
    #expect(library.usage.withLock { $0.bytes } == kept.bytes && folder.files.count == 1)
    try await library.delete([kept.id])
    #expect(try await library.entries().isEmpty)
    library.close()
  }

  @Test func allThatMakeRoomAtOnceHaveIt() async throws {
    let library = try OpenLibrary.idle(in: folder) {
      $0.quota = 81
      $0.removesOldest = true
    }
    for created in 1...9 { try await library.add(at: Int64(created)) }
    let refusals = await withTaskGroup(of: CaptureError?.self) { group in
      for _ in 0..<9 { group.addTask { await failure { try await library.reserve(9) } } }
      var refusals: [CaptureError] = []
      for await case let refusal? in group { refusals.append(refusal) }
      return refusals
    }
    #expect(refusals == [])
    #expect(try await library.entries().isEmpty)
    library.close()
  }

  @Test func whatAnAssetTakesCountsOnce() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let addition = AssetAddition(NewAsset(.captured), to: library)
    try await addition.begin(.jpeg, bytes: Int64(picture("1").count), sha256: nil)
    try await addition.append(picture("1"))
    _ = try await addition.finish()
    let (bytes, reserved) = library.usage.withLock { ($0.bytes, $0.reserved) }
    #expect(bytes == 9 && reserved == 0)
    withExtendedLifetime(addition) {}
    library.close()
  }

  @Test func whatAnUploadHasWrittenIsNotReservedAnyMore() async throws {
    let free = Mutex<Int64>(100)
    let library = try OpenLibrary.idle(in: folder, disk: LibraryDisk(free: { _ in free.withLock { $0 } }))
    let addition = AssetAddition(NewAsset(.captured), to: library)
    try await addition.begin(.jpeg, bytes: 40, sha256: nil)
    try await addition.append(Payload(copying: [UInt8](repeating: 0, count: 30)))
    free.withLock { $0 = 70 }
    // 10 more bytes will come.
    try await library.reserve(60)
    let refusal = await failure { try await library.reserve(1) }
    #expect(refusal?.details?.reason == .diskFull)
    library.release(60)
    withExtendedLifetime(addition) {}
    library.close()
  }

  @Test func whatIsTooOldIsRemovedByAClockThatIsBelieved() async throws {
    let removed = Mutex(0)
    let library = try OpenLibrary.idle(in: folder) {
      $0.maximumAge = 10
    } report: { notice in
      if case .removed(let count, .tooOld) = notice { removed.withLock { $0 += count } }
    }
    let day: Int64 = 86_400_000_000_000
    // More than one removal takes at once are too old.
    for number in 0..<300 { try await library.add(at: Int64(number)) }
    try await library.add(at: 1000, labels: [AssetLabel.keep])
    try await library.add(at: 5 * day)
    try await library.add(at: 5 * day + 1)
    func kept() async throws -> [Int64] { try await library.entries().map(\.created) }
    // A clock that has jumped ahead would empty the library.
    await library.removeOld(at: .init(nanoseconds: 9000 * day, uncertainty: 0, isSynchronised: false))
    #expect(try await kept().count == 303 && folder.files.count == 303)
    await library.removeOld(at: .init(nanoseconds: 15 * day + 1, uncertainty: 0, isSynchronised: true))
    #expect(try await kept() == [5 * day + 1, 1000])
    #expect(removed.withLock { $0 } == 301 && folder.files.count == 2)
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
