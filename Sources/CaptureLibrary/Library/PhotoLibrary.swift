public import CaptureModel
public import CaptureSystem
import Synchronization

/// A store of pictures on a node (`PHPhotoLibrary`): files under a folder, by date, and an index.
///
/// Every call throws `unavailable` while the folder is not there. Meanwhile the library looks for the folder every two seconds.
public final class PhotoLibrary: Sendable {
  /// Whether the library can be used.
  public enum State: Sendable {
    /// The library cannot be used. The reason is for a person.
    case unavailable(String)
    case open(LibraryStatistics)
  }

  private enum Condition {
    case closed(CaptureError)
    case open(OpenLibrary)
    /// The library was closed by ``close()``, for good.
    case ended
  }

  public let configuration: LibraryConfiguration
  private let imaging: LibraryImaging
  private let limits: NodeLimits
  private let report: @Sendable (LibraryNotice) -> Void
  private let queue = WorkQueue(label: "library")
  private let condition = Mutex<Condition>(
    .closed(.libraryUnavailable("it is being opened; try again in a moment")))
  private let reopening = Mutex<Task<Void, Never>?>(nil)

  public init(
    _ configuration: LibraryConfiguration, imaging: LibraryImaging, limits: NodeLimits = NodeLimits(),
    report: @escaping @Sendable (LibraryNotice) -> Void = { _ in }
  ) {
    (self.configuration, self.imaging, self.limits) = (configuration, imaging, limits)
    self.report = report
  }

  /// Opens the library, now and whenever it can be opened again, until ``close()``. Returns after the first attempt.
  public func start() async {
    await attempt()
    condition.withLock { condition in
      if case .ended = condition { return }
      reopening.withLock { $0 = attempts() }
    }
  }

  private func attempts() -> Task<Void, Never> {
    Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(2))
        guard !Task.isCancelled else { return }
        await self?.attempt()
      }
    }
  }

  /// Ends all watches, since the node ends. Other calls may finish.
  public func endWatches() {
    if case .open(let library) = condition.withLock({ $0 }) { library.endWatches() }
  }

  /// Closes the library for good. An attempt to open it that is on its way has no effect.
  public func close() {
    let closed = condition.withLock { condition -> OpenLibrary? in
      defer { condition = .ended }
      guard case .open(let library) = condition else { return nil }
      return library
    }
    reopening.withLock { $0 }?.cancel()
    guard let closed else { return }
    closed.close()
    report(.unavailable(Self.ending.message))
  }

  private static let ending = CaptureError.libraryUnavailable("the node is ending")

  /// Opens the library where it is closed; closes it where its folder has gone.
  private func attempt() async {
    switch condition.withLock({ $0 }) {
    case .ended: break
    case .open(let library):
      do throws(CaptureError) { try await library.requireMounted() } catch { fail(library, error) }
    case .closed(let last):
      let (configuration, imaging, report) = (configuration, imaging, report)
      do throws(CaptureError) {
        let library = try await queue.run { () throws(CaptureError) in
          try DescriptorReserve.files.taking(
            OpenLibrary.descriptors,
            failed: { CaptureError.libraryWithoutDescriptors(configuration.root, $0) }
          ) { () throws(CaptureError) in
            try OpenLibrary(configuration, imaging: imaging, report: report)
          }
        }
        guard settle(.open(library)) else { return }
        report(.opened(path: configuration.root, assets: library.usage.withLock { $0.assets }))
      } catch {
        guard settle(.closed(error)), error.message != last.message else { return }
        report(.unavailable(error.message))
      }
    }
  }

  /// Takes the result of an attempt, and starts the library that it opened. Returns `false`, and does nothing, where ``close()`` came meanwhile.
  private func settle(_ result: Condition) -> Bool {
    condition.withLock { condition in
      if case .ended = condition { return false }
      condition = result
      // The library is started inside the lock, so that `close()` finds the work that it has to stop.
      if case .open(let library) = result { library.start() }
      return true
    }
  }

  /// Closes a library. It is opened again as soon as that is possible, also where somebody is still adding to it: that cannot be finished. It may be
  /// open again already: whoever has waited for the old disk does not close that.
  private func fail(_ failed: OpenLibrary, _ error: CaptureError) {
    let isClosed = condition.withLock { condition -> Bool in
      guard case .open(let library) = condition, library === failed else { return false }
      condition = .closed(error)
      return true
    }
    guard isClosed else { return }
    failed.close()
    failed.giveUp(error)
    report(.unavailable(error.message))
  }

  /// Runs `body` with the library. A failure of its disk closes it.
  private func using<R>(
    _ body: (OpenLibrary) async throws(CaptureError) -> R
  ) async throws(CaptureError) -> R {
    let library: OpenLibrary
    switch condition.withLock({ $0 }) {
    case .closed(let error): throw error
    case .ended: throw Self.ending
    case .open(let open): library = open
    }
    do throws(CaptureError) {
      try await library.requireMounted()
      return try await body(library)
    } catch {
      if error.details?.reason == .libraryUnavailable { fail(library, error) }
      throw error
    }
  }

  // MARK: Calls

  public func state(within scope: AssetScope = .all) async -> State {
    do throws(CaptureError) {
      return .open(
        try await using { library throws(CaptureError) in try await library.statistics(within: scope) })
    } catch {
      return .unavailable(error.message)
    }
  }

  /// Throws where nothing could be added now, so that nobody takes a photo for nothing.
  public func requireRoom() async throws(CaptureError) {
    try await using { library throws(CaptureError) in
      try await library.reserve(1)
      library.release(1)
      // A file, and two folders on the way to its place.
      try DescriptorReserve.files.taking(
        3, failed: { CaptureError.library("a picture cannot be written", $0) }
      ) { () throws(CaptureError) in }
    }
  }

  /// Begins to add an asset.
  public func beginAdding(_ asset: NewAsset) async throws(CaptureError) -> AssetAddition {
    try await using { library throws(CaptureError) in AssetAddition(asset, to: library) }
  }

  /// Adds an asset whose files are in memory. Once this returns it survives a crash and a power cut.
  public func add(
    _ asset: NewAsset, _ resources: [(type: ResourceType, bytes: Payload)]
  ) async throws(CaptureError) -> StoredAsset {
    try await using { library throws(CaptureError) in
      let addition = AssetAddition(asset, to: library)
      for resource in resources {
        try await addition.begin(resource.type, bytes: Int64(resource.bytes.count), sha256: nil)
        try await addition.append(resource.bytes)
      }
      return try await addition.finish()
    }
  }

  /// A page of assets, the latest first. `token`: where the page before ended.
  public func list(
    _ filter: AssetFilter, after token: String?, count: Int
  ) async throws(CaptureError) -> AssetList {
    let place = try token.map { token throws(CaptureError) in try PageToken.place(token) }
    return try await using { library throws(CaptureError) in
      let (assets, revision) = try await library.reader.run { index throws(CaptureError) in
        // The revision is read first, so that a change meanwhile is reported twice rather than missed.
        let revision = try index.revisions().latest
        return (try index.page(filter, after: place, count: count + 1), revision)
      }
      let page = Array(assets.prefix(count))
      return AssetList(
        assets: page, next: assets.count > count ? page.last.map(PageToken.text) : nil,
        token: WatchToken(index: library.indexID, revision: revision).text)
    }
  }

  /// The assets of these names, in their order. Throws `notFound` with the first name that is not there. `field`: the request's field, for that error.
  public func assets(
    _ ids: [String], within scope: AssetScope = .all, field: String = "ids"
  ) async throws(CaptureError) -> [StoredAsset] {
    try await using { library throws(CaptureError) in
      let found = try await library.reader.run { index throws(CaptureError) in
        try ids.map { id throws(CaptureError) in
          try AssetID(id).flatMap { id throws(CaptureError) in try index.asset(id) }
        }
      }
      return try zip(ids, found).map { id, asset throws(CaptureError) in
        guard let asset, scope.contains(asset) else { throw .unknownAsset(id, field: field) }
        return asset
      }
    }
  }

  /// `nil`: the asset has none.
  public func thumbnail(of id: AssetID) async throws(CaptureError) -> PictureThumbnail? {
    try await using { library throws(CaptureError) in
      try await library.reader.run { index throws(CaptureError) in try index.thumbnail(of: id) }
    }
  }

  /// Opens a resource for reading.
  public func open(_ asset: StoredAsset, _ place: Int) async throws(CaptureError) -> ResourceReading {
    try await using { library throws(CaptureError) in
      var asset = asset
      guard asset.resources.indices.contains(place) else {
        throw CaptureError(
          .invalidArgument,
          "\(asset.id) has \(asset.resources.count) resources, numbered from 0; there is no number \(place)",
          .init(
            .valueOutOfRange, field: "resource", asked: .number(Double(place)),
            range: .init(0, Double(asset.resources.count - 1))))
      }
      if asset.resources[place].sha256 == nil { asset = try await library.read(asset) }
      let (root, id, type) = (library.root, asset.id, asset.resources[place].type)
      let file = try await library.reads.run { () throws(CaptureError) in
        do throws(Errno) { return try root.open(id, place, type) } catch {
          throw .libraryFileGone(id.path(place, type), error)
        }
      }
      return ResourceReading(file, asset.resources[place], on: library.reads)
    }
  }

  public func label(
    _ ids: [AssetID], add: [String], remove: [String]
  ) async throws(CaptureError) -> [StoredAsset] {
    try await using { library throws(CaptureError) in
      let assets = try await library.writer.run { index throws(CaptureError) in
        try index.label(ids, add: add, remove: remove)
      }
      library.wakeWatches()
      return assets
    }
  }

  /// Deletes assets. Returns the names of those that existed.
  public func delete(_ ids: [AssetID]) async throws(CaptureError) -> [AssetID] {
    try await using { library throws(CaptureError) in try await library.delete(ids).map(\.id) }
  }

  /// Watches changes from a token on; `nil`: from now on.
  public func watch(_ filter: AssetFilter, from token: String?) async throws(CaptureError) -> LibraryWatch {
    let limit = limits[.libraryWatches]
    return try await using { library throws(CaptureError) in
      try await LibraryWatch(library, filter, from: token, limit: limit)
    }
  }
}
