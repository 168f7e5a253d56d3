import CaptureLibrary
import CaptureModel
import CaptureSystem
import Glibc
import Testing

@Suite struct LibraryTests {
  let folder = TestFolder()

  @Test func anAssetIsAFileByDateAndAnEntry() async throws {
    let library = try await PhotoLibrary.opened(folder)
    var asset = NewAsset(.captured)
    (asset.created, asset.device, asset.labels) = (1_764_058_502_123_000_000, "camera-1", ["b", "a", "b"])
    let added = try await library.add(asset, [(.jpeg, picture("one")), (.dng, picture("raw"))])
    #expect(added.id.text.hasPrefix("20251125-081502-123-"))
    #expect(added.labels == ["a", "b"])
    #expect(added.size == FrameSize(width: 64, height: 48))
    #expect(
      folder.files == ["2025/11/25/\(added.id)+1.dng", "2025/11/25/\(added.id).jpg"])
    let listed = try await library.all()
    #expect(listed == [added])
    #expect(listed[0].resources[0].sha256 == SHA256.of(picture("one")))
    #expect(try await library.thumbnail(of: added.id)?.jpeg == [1, 11])
    let reading = try await library.open(added, 1)
    #expect(try await reading.bytes(at: 8, count: 3).bytes == Array("raw".utf8))
    library.close()
  }

  @Test func whatItMakesIsReadByItsUserAndTheFoldersGroupAlone() async throws {
    let library = try await PhotoLibrary.opened(folder)
    try await library.add("x")
    let file = try #require(folder.files.first)
    let day = file.split(separator: "/").dropLast()
    let folders = (1...day.count).map { day.prefix($0).joined(separator: "/") }
    for made in [file, ".capture-library", ".capture-library/library"] + folders {
      var status = stat()
      #expect(stat(folder.path + "/" + made, &status) == 0 && status.st_mode & 0o027 == 0, "\(made)")
    }
    library.close()
  }

  @Test func pagesAndFiltersFindWhatIsThere() async throws {
    let library = try await PhotoLibrary.opened(folder)
    for number in 0..<7 {
      try await library.add(
        "\(number)", at: Int64(number) * 1_000_000_000, labels: number % 2 == 0 ? ["even"] : [],
        device: "camera-\(number % 3)")
    }
    let all = try await library.all()
    #expect(all.map(\.created) == (0..<7).reversed().map { $0 * 1_000_000_000 })
    var filter = AssetFilter()
    filter.labels = ["even"]
    #expect(try await library.all(filter).count == 4)
    filter.device = "camera-0"
    #expect(try await library.all(filter).map(\.created) == [6_000_000_000, 0])
    filter = AssetFilter()
    (filter.from, filter.until) = (2_000_000_000, 5_000_000_000)
    #expect(try await library.all(filter).count == 3)
    #expect(
      await failure { _ = try await library.list(filter, after: "../etc", count: 1) }?.code
        == .invalidArgument)
    library.close()
  }

  @Test func whatIsNotWhatItSaysLeavesNothing() async throws {
    let library = try await PhotoLibrary.opened(folder)
    func add(_ bytes: String, said: Int64? = nil, sum: [UInt8]? = nil) async -> CaptureError? {
      await failure {
        let addition = try await library.beginAdding(NewAsset(.uploaded))
        let payload = Payload(copying: Array(bytes.utf8))
        try await addition.begin(.jpeg, bytes: said ?? Int64(payload.count), sha256: sum)
        try await addition.append(payload)
        _ = try await addition.finish()
      }
    }
    #expect(await add("no such thing")?.details?.reason == .contentMismatch)
    #expect(await add("picture", said: 8)?.details?.reason == .contentMismatch)
    #expect(await add("picture", said: 6)?.details?.reason == .contentMismatch)
    #expect(await add("picture", sum: SHA256.of(picture()))?.details?.reason == .checksumMismatch)
    #expect(await add("picture", sum: SHA256.of(Payload(copying: Array("picture".utf8)))) == nil)
    #expect(try await library.all().count == 1)
    #expect(folder.files.count == 1)
    library.close()
  }

  @Test func aFolderWithoutItsMarkIsNotWritten() async throws {
    let library = PhotoLibrary(LibraryConfiguration(root: folder.path), imaging: .test)
    await library.start()
    let error = await failure { try await library.add("x") }
    #expect(error?.code == .unavailable)
    #expect(error?.details?.reason == .libraryUnavailable)
    #expect(error?.message.contains("not be mounted") == true)
    #expect(TestFolder.names(folder.path).isEmpty)
    library.close()
  }

  @Test func anotherFolderAtTheRootIsNotWritten() async throws {
    let root = folder.path + "/disk"
    _ = try LibraryRoot.initialise(root)
    let library = PhotoLibrary(LibraryConfiguration(root: root), imaging: .test)
    await library.start()
    try await library.add("x")
    rename(root, folder.path + "/away")
    mkdir(root, 0o755)
    #expect(await failure { try await library.add("y") }?.details?.reason == .libraryUnavailable)
    #expect(await failure { _ = try await library.all() }?.details?.reason == .libraryUnavailable)
    #expect(TestFolder.names(root).isEmpty)
    rmdir(root)
    rename(folder.path + "/away", root)
    // It is found again.
    while await failure({ _ = try await library.all() }) != nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await library.all().count == 1)
    library.close()
  }

  @Test func anUploadThatDoesNotEndKeepsNoLibraryShutThatHasFailed() async throws {
    let root = folder.path + "/disk"
    _ = try LibraryRoot.initialise(root)
    let library = PhotoLibrary(LibraryConfiguration(root: root), imaging: .test)
    await library.start()
    let addition = try await library.beginAdding(NewAsset(.captured))
    try await addition.begin(.jpeg, bytes: Int64(picture().count), sha256: nil)
    try await addition.append(picture())
    rename(root, folder.path + "/away")
    #expect(await failure { _ = try await library.all() }?.details?.reason == .libraryUnavailable)
    rename(folder.path + "/away", root)
    var error: CaptureError?
    for _ in 0..<500 {
      error = await failure { _ = try await library.all() }
      if error == nil { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(error == nil, "it is found again")
    #expect(await failure { _ = try await addition.finish() }?.details?.reason == .libraryUnavailable)
    #expect(try await library.all().isEmpty)
    library.close()
  }

  @Test func noFolderBecomesALibraryThroughALinkInIt() throws {
    let (root, other) = (folder.path + "/root", folder.path + "/other")
    mkdir(root, 0o755)
    mkdir(other, 0o755)
    symlink(other, root + "/.capture-library")
    #expect(throws: CaptureError.self) { _ = try LibraryRoot.initialise(root) }
    #expect(TestFolder.names(other).isEmpty)
  }

  @Test func aFileThatSomebodyHasReplacedByALinkIsLostAlone() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let (linked, other) = (try await library.add("1"), try await library.add("2"))
    let path = folder.path + "/" + linked.id.path(0, .jpeg)
    rename(path, folder.path + "/elsewhere.jpg")
    symlink(folder.path + "/elsewhere.jpg", path)
    let error = await failure { _ = try await library.open(linked, 0) }
    #expect(error?.code == .dataLoss && error?.details?.reason == .damagedPicture)
    let bytes = try await library.open(other, 0).whole().bytes
    #expect(bytes == Array("picture 2".utf8))
    library.close()
  }

  @Test func aSecondNodeMayNotUseIt() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let other = try await PhotoLibrary.opened(folder)
    let error = await failure { _ = try await other.all() }
    #expect(error?.message.contains("another node") == true)
    library.close()
    other.close()
  }

  @Test func labelsChangeAllOrNone() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let one = try await library.add("1", labels: (0..<31).map { "l\($0)" })
    let two = try await library.add("2")
    #expect(
      await failure { _ = try await library.label([two.id, one.id], add: ["x", "y"], remove: []) }?.details?
        .limit == "labelsPerAsset")
    #expect(try await library.assets([two.id.text])[0].labels.isEmpty)
    let changed = try await library.label([two.id, one.id], add: ["x"], remove: ["l0"])
    #expect(changed.map(\.labels.count) == [1, 31])
    library.close()
  }

  @Test func aDeletedAssetLeavesNothing() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let one = try await library.add("1")
    #expect(try await library.delete([one.id]) == [one.id])
    #expect(try await library.delete([one.id]) == [])
    #expect(folder.files.isEmpty)
    #expect(
      await failure { _ = try await library.assets([one.id.text]) }?.code == .notFound)
    library.close()
  }
}
