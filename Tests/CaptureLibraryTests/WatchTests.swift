import CaptureLibrary
import CaptureModel
import Testing

@Suite struct WatchTests {
  let folder = TestFolder()

  private func text(_ event: LibraryEvent) -> String {
    switch event {
    case .added: "added"
    case .changed(let asset, _): "changed \(asset.labels.joined(separator: ","))"
    case .deleted: "deleted"
    case .reset: "reset"
    case .current: "current"
    }
  }

  private func token(_ event: LibraryEvent) -> String {
    switch event {
    case .added(_, let token), .changed(_, let token), .deleted(_, let token), .reset(let token),
      .current(let token):
      token
    }
  }

  @Test func aWatchTellsWhatChanges() async throws {
    let library = try await PhotoLibrary.opened(folder)
    try await library.add("before")
    var watch = try await library.watch(AssetFilter(), from: nil)
    #expect(text(try await watch.next()) == "current")
    let asset = try await library.add("1")
    #expect(text(try await watch.next()) == "added")
    _ = try await library.label([asset.id], add: ["x"], remove: [])
    #expect(text(try await watch.next()) == "changed x")
    _ = try await library.delete([asset.id])
    #expect(text(try await watch.next()) == "deleted")
    library.close()
    var ending: CaptureError?
    do { _ = try await watch.next() } catch { ending = error }
    #expect(ending?.code == .unavailable)
  }

  /// The library stays open for calls that have begun.
  @Test func theEndOfTheNodeEndsWatchesAlone() async throws {
    let library = try await PhotoLibrary.opened(folder)
    var watch = try await library.watch(AssetFilter(), from: nil)
    #expect(text(try await watch.next()) == "current")
    library.endWatches()
    var ending: CaptureError?
    do { _ = try await watch.next() } catch { ending = error }
    #expect(ending?.details?.reason == .nodeDraining)
    try await library.add("1")
    library.close()
  }

  @Test func aTokenGoesOnWhereItWas() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let gone = try await library.add("gone")
    let start = try await library.list(AssetFilter(), after: nil, count: 10).token
    let asset = try await library.add("1")
    try await library.add("2")
    _ = try await library.label([asset.id], add: ["x"], remove: [])
    _ = try await library.delete([gone.id])
    library.close()

    let again = PhotoLibrary(library.configuration, imaging: .test)
    // The first has let the folder go once its work has ended.
    while await failure({ _ = try await again.all() }) != nil { await again.start() }
    var watch = try await again.watch(AssetFilter(), from: start)
    var events: [String] = []
    for _ in 0..<4 { events.append(text(try await watch.next())) }
    #expect(events == ["added", "added", "deleted", "current"])
    again.close()
  }

  /// A watch reads 256 changes at a time.
  @Test func aWatchIsCurrentOnceItHasToldOfAllThatChanged() async throws {
    let library = try await PhotoLibrary.opened(folder)
    let start = try await library.list(AssetFilter(), after: nil, count: 10).token
    for index in 0..<300 { try await library.add("\(index)") }
    var watch = try await library.watch(AssetFilter(), from: start)
    var events: [String] = []
    for _ in 0...300 { events.append(text(try await watch.next())) }
    #expect(events == Array(repeating: "added", count: 300) + ["current"])
    library.close()
  }

  @Test func aTokenOfAnotherLibraryIsTold() async throws {
    let library = try await PhotoLibrary.opened(folder)
    var watch = try await library.watch(
      AssetFilter(), from: String(repeating: "0", count: 32) + ":7")
    let first = try await watch.next()
    #expect(text(first) == "reset")
    var next = try await library.watch(AssetFilter(), from: token(first))
    #expect(text(try await next.next()) == "current")
    let identity = String(token(first).prefix(33))
    // A second spelling of a number would be kept for as long as its watch lasts, however long it is.
    let numbers = ["", "+0", "00", String(repeating: "0", count: 60_000)]
    for text in ["7"] + numbers.map({ identity + $0 }) {
      let refusal = await failure { _ = try await library.watch(AssetFilter(), from: text) }
      #expect(refusal?.code == .invalidArgument && refusal?.message.utf8.count ?? .max < 300)
    }
    library.close()
  }
}
