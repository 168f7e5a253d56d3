import CaptureLibrary
import CaptureModel
import CaptureSystem
import Glibc
import Synchronization
import Testing

@Suite struct ReconciliationTests {
  let folder = TestFolder()

  private func write(_ text: String, to path: String) {
    let file = fopen(folder.path + "/" + path, "w")!
    fputs(text, file)
    fclose(file)
  }

  private func reopened(_ library: PhotoLibrary) async throws -> PhotoLibrary {
    library.close()
    let again = PhotoLibrary(library.configuration, imaging: .test)
    await again.start()
    while await failure({ _ = try await again.all() }) != nil {
      try await Task.sleep(for: .milliseconds(5))
    }
    return again
  }

  @Test func filesWithoutAnEntryGetOne() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let kept = try await library.add("kept", at: 0)
    write("picture found", to: "1970/01/01/19700101-000000-000-00000001.jpg")
    write("picture found", to: "1970/01/01/19700101-000000-000-00000001+1.dng")
    write("mine", to: "1970/01/01/holiday.jpg")
    let again = try await reopened(library)
    #expect(try await again.reconciled().recovered == 1)
    let assets = try await again.all()
    #expect(assets.map(\.id.text).contains("19700101-000000-000-00000001"))
    #expect(assets.contains(kept))
    // What is not known of it is read.
    var found: StoredAsset?
    repeat { found = try await again.all().first { $0.origin == .recovered } } while found?.size == nil
    #expect(found?.resources.map(\.sha256) == [SHA256.of(picture("found")), SHA256.of(picture("found"))])
    #expect(folder.files.contains("1970/01/01/holiday.jpg"))
    again.close()
  }

  @Test func whatIsNotWholeIsNotListed() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let short = try await library.add("a longer one", at: 0)
    let gone = try await library.add("gone", at: 1)
    truncate(folder.path + "/" + short.id.path(0, .jpeg), 9)
    unlink(folder.path + "/" + gone.id.path(0, .jpeg))
    // A part of an asset whose first file never came; an empty file; and what was being written.
    write("picture", to: "1970/01/01/19700101-000000-000-00000002+1.dng")
    write("", to: "1970/01/01/19700101-000000-000-00000003.jpg")
    write("pict", to: ".capture-library/incoming/4.jpg")
    let again = try await reopened(library)
    let statistics = try await again.reconciled()
    #expect(statistics.lost == 2)
    #expect(statistics.setAside == 3)
    #expect(statistics.assets == 0)
    #expect(try await again.all().isEmpty)
    #expect(folder.files.allSatisfy { $0.hasPrefix(".capture-library/set-aside/") })
    again.close()
  }

  @Test func aLostIndexIsMadeAnew() async throws {
    let library = try await PhotoLibrary.opened(folder)
    for number in 0..<5 { try await library.add("\(number)", at: Int64(number) * 86_400_000_000_000) }
    let before = try await library.all()
    library.close()
    write("this is no index at all, and longer than a header", to: ".capture-library/index.sqlite")
    let again = try await reopened(library)
    #expect(try await again.reconciled().recovered == 5)
    #expect(try await again.all().map(\.id) == before.map(\.id))
    again.close()
  }

  /// Its changes have other numbers.
  @Test func whoGoesOnFromBeforeTheIndexWasMadeAnewIsToldToListAgain() async throws {
    let library = try await PhotoLibrary.opened(folder)
    try await library.add("first")
    let token = try await library.list(AssetFilter(), after: nil, count: 1).token
    for number in 0..<3 { try await library.add("\(number)") }
    library.close()
    write("this is no index at all, and longer than a header", to: ".capture-library/index.sqlite")
    let again = try await reopened(library)
    #expect(try await again.reconciled().recovered == 4)
    var watch = try await again.watch(AssetFilter(), from: token)
    guard case .reset = try await watch.next() else {
      Issue.record("it goes on with the numbers of another index")
      return
    }
    again.close()
  }

  @Test func aLibraryThatIsClosedWhileItIsBeingOpenedStaysClosed() async throws {
    _ = try LibraryRoot.initialise(folder.path)
    write("this is no index at all, and longer than a header", to: ".capture-library/index.sqlite")
    let toClose = Mutex<PhotoLibrary?>(nil)
    let wasOpened = Mutex(false)
    let library = PhotoLibrary(LibraryConfiguration(root: folder.path), imaging: .test) { notice in
      switch notice {
      // It tells so in the middle of an attempt to open it.
      case .indexSetAside: toClose.withLock { $0.take() }?.close()
      case .opened: wasOpened.withLock { $0 = true }
      default: break
      }
    }
    toClose.withLock { $0 = library }
    await library.start()
    #expect(toClose.withLock { $0 } == nil, "it was closed")
    #expect(await failure { _ = try await library.all() }?.message.contains("the node is ending") == true)
    #expect(!wasOpened.withLock { $0 })
  }

  @Test func deletedFilesDoNotComeBack() async throws {
    // A node that died between the index and the file: the entry is gone, the file is still there.
    let library = try await PhotoLibrary.opened(folder)
    let asset = try await library.add("1", at: 0)
    _ = try await library.delete([asset.id])
    #expect(folder.files.isEmpty)
    let again = try await reopened(library)
    #expect(try await again.reconciled().recovered == 0)
    again.close()
  }
}
