import CaptureModel
import Glibc
import Testing

@testable import CaptureLibrary

/// Files and index are compared while assets are added and deleted.
@Suite struct ReconciliationBesideUseTests {
  let folder = TestFolder()

  /// Writes a file of an asset, and nothing into the index.
  private func write(_ id: AssetID, _ place: Int, _ type: ResourceType, in library: OpenLibrary) throws {
    _ = try library.root.folder(id.folder, makes: true)
    let file = fopen(folder.path + "/" + id.path(place, type), "w")!
    fputs("picture", file)
    fclose(file)
  }

  @Test func filesOfAnAssetThatIsBeingDeletedBringItNotBack() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let asset = try await library.add(at: 0)
    // Its entry is gone, and its file goes in a moment.
    _ = try await library.writer.run { index throws(CaptureError) in try index.delete([asset.id]) }
    try await library.reconcile(asset.id.day, library.list(asset.id.day))
    #expect(library.outcome.withLock { $0.recovered } == 0)
    #expect(try await library.entries().isEmpty)
    try await library.removeFilesOfDeleted()
    #expect(folder.files.isEmpty)
    library.close()
  }

  @Test func aFileOfAnAssetWhoseAdditionEndsMeanwhileStays() async throws {
    let library = try OpenLibrary.idle(in: folder)
    let id = AssetID(created: 0)
    library.adding.withLock { _ = $0.insert(id) }
    // The first file comes last.
    try write(id, 1, .dng, in: library)
    let listing = try await library.list(id.day)
    library.adding.withLock { _ = $0.remove(id) }
    try await library.reconcile(id.day, listing)
    #expect(library.outcome.withLock { $0.setAside } == 0)
    #expect(folder.files == [id.path(1, .dng)])
    library.close()
  }

  @Test func whatIsAddedMeanwhileIsCountedOnce() async throws {
    let library = try OpenLibrary.idle(in: folder)
    try write(AssetID(created: 0), 0, .jpeg, in: library)
    // Another is being added: it has its entry, and is counted in a moment.
    let id = AssetID(created: 1_000_000)
    try write(id, 0, .jpeg, in: library)
    let asset = StoredAsset(
      id: id, origin: .captured, resources: [StoredResource(.jpeg, bytes: 7, sha256: nil)],
      created: 1_000_000, added: 0)
    let added = try await library.writer.run { index throws(CaptureError) in
      try index.insert(asset, thumbnail: nil)
    }
    try await library.reconcile(id.day, library.list(id.day))
    library.usage.withLock { $0.add(added) }
    #expect(library.outcome.withLock { $0.recovered } == 1)
    let (assets, bytes) = library.usage.withLock { ($0.assets, $0.bytes) }
    #expect(assets == 2 && bytes == 14)
    library.close()
  }
}
