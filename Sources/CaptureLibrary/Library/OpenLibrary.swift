import CaptureModel
import CaptureSystem
import Synchronization

/// A library whose folder is there: its index, its files, and those that watch it.
final class OpenLibrary: Sendable {
  let root: LibraryRoot
  let configuration: LibraryConfiguration
  let imaging: LibraryImaging
  /// The identity of the index, which has the numbers of changes.
  let indexID: String
  let writer: IndexQueue
  let reader: IndexQueue
  /// Writes files, and removes them.
  let files = WorkQueue(label: "library.files")
  /// Reads files for clients.
  let reads = WorkQueue(label: "library.reads")
  /// Compares files and index, and reads files whose checksum is not known.
  let scans = WorkQueue(label: "library.scans")
  /// Asks whether the disk is there, and how much of it is free.
  let looks = WorkQueue(label: "library.looks")
  /// Why the library cannot be used any more: its folder was not there at a look, or it was given up.
  let loss = Mutex<CaptureError?>(nil)
  let usage: Mutex<LibraryUsage>
  let unreturned = Mutex(UnreturnedSpace())
  let report: @Sendable (LibraryNotice) -> Void
  /// Assets that are being added: their files may exist before their entries.
  let adding = Mutex<Set<AssetID>>([])
  let outcome = Mutex(ReconciliationOutcome())
  private let changes = ChangeSignals<Void>()
  /// Whether watches have ended since the node ends.
  private let isNodeEnding = Atomic(false)
  private let maintenance = Mutex<Task<Void, Never>?>(nil)

  init(
    _ configuration: LibraryConfiguration, imaging: LibraryImaging, disk: LibraryDisk = .system,
    report: @escaping @Sendable (LibraryNotice) -> Void
  ) throws(CaptureError) {
    if configuration.makesRoot { _ = try LibraryRoot.initialise(configuration.root) }
    root = try LibraryRoot(configuration.root, disk: disk)
    (self.configuration, self.imaging, self.report) = (configuration, imaging, report)
    do throws(Errno) { try root.removeIncoming() } catch {
      throw .libraryUnavailable("'\(root.path)' cannot be read: \(error)")
    }
    let index = try OpenedIndex.open(root, report)
    writer = index.writer
    indexID = index.id
    usage = Mutex(LibraryUsage(index.totals))
    do throws(SQLiteError) {
      reader = IndexQueue(label: "library.lists", try OpenedIndex.connection(to: root))
    } catch {
      throw error.error
    }
    root.takeReserve()
  }

  /// Begins to compare files and index, and to remove assets that are too old. This work ends with ``close()``.
  func start() {
    let task = Task { [weak self] in
      await self?.reconcile()
      while !Task.isCancelled {
        await self?.removeOld(at: Self.clock.reading(at: MonotonicClock.now()))
        try? await Task.sleep(for: .seconds(600))
      }
    }
    maintenance.withLock { $0 = task }
  }

  func close() {
    maintenance.withLock { $0 }?.cancel()
    changes.end()
  }

  // MARK: Watchers

  /// Ends all watches, since the node ends.
  func endWatches() {
    isNodeEnding.store(true, ordering: .relaxed)
    changes.end()
  }

  /// Why watches have ended.
  var endOfWatches: CaptureError {
    isNodeEnding.load(ordering: .relaxed) ? .nodeDraining : .libraryUnavailable("it was closed")
  }

  /// Wakes those that watch.
  func wakeWatches() { changes.signal() }

  /// Returns a stream that signals at once, and again each time that the library may have changed. It ends with the library.
  func watch(limit: Int) throws(CaptureError) -> AsyncStream<Void> {
    guard let signals = changes.signals(of: (), atMost: limit) else {
      throw NodeLimit.libraryWatches.exceeded("\(limit) clients watch the library already")
    }
    return signals
  }

  // MARK: Removal

  /// Removes assets: first from the index, then their files. `sparingKept`: those that have the label "keep" stay. Returns those that were removed.
  /// `makesRoom`: whether the caller needs their space.
  @discardableResult
  func delete(
    _ ids: [AssetID], sparingKept: Bool = false, makesRoom: Bool = false
  ) async throws(CaptureError) -> [StoredAsset] {
    let deleted = try await forget(ids, sparingKept)
    usage.withLock { usage in for asset in deleted { usage.remove(asset) } }
    if !deleted.isEmpty { wakeWatches() }
    try await removeFilesOfDeleted(makesRoom: makesRoom)
    await takeReserve()
    return deleted
  }

  /// Removes assets from the index. A full disk has no room even for that: then the reserved space is given back first.
  private func forget(_ ids: [AssetID], _ sparingKept: Bool) async throws(CaptureError) -> [StoredAsset] {
    do throws(CaptureError) {
      return try await writer.run { index throws(CaptureError) in
        try index.delete(ids, sparingKept: sparingKept)
      }
    } catch {
      guard error.details?.reason == .diskFull, await giveReserve() else { throw error }
      return try await writer.run { index throws(CaptureError) in
        try index.delete(ids, sparingKept: sparingKept)
      }
    }
  }

  /// Removes the files of assets that are no longer in the index. `makesRoom`: whether the caller needs their space, so that it is noted whether they
  /// give it back.
  func removeFilesOfDeleted(makesRoom: Bool = false) async throws(CaptureError) {
    let paths = try await writer.run { index throws(CaptureError) in try index.filesToRemove() }
    guard !paths.isEmpty else { return }
    let root = root
    // The index forgets a file once its removal is on the disk. Otherwise a power cut would bring it back, and it would be taken for a picture that has
    // lost its entry.
    // Nothing else is written on this queue, so that what has become free is compared with what was removed.
    let space = try await files.run { () throws(CaptureError) in
      do throws(Errno) { return try root.removeDurably(paths, makesRoom: makesRoom) } catch {
        throw .library("a deleted file cannot be removed", error)
      }
    }
    if let space { unreturned.withLock { $0.note(space, at: MonotonicClock.now()) } }
    try await writer.run { index throws(CaptureError) in try index.noteRemoved(paths) }
  }

  /// Removes assets that are older than the configured age. While the clock is not set, nothing is removed.
  func removeOld(at now: UTCClock.Reading) async {
    guard let days = configuration.maximumAge, now.isSynchronised else { return }
    let end = now.nanoseconds - Int64(days) * 86_400_000_000_000
    while !Task.isCancelled,
      let old = try? await writer.run({ index throws(CaptureError) in
        try index.oldest(256, before: end)
      }), !old.isEmpty, let removed = try? await delete(old, sparingKept: true), !removed.isEmpty
    {
      report(.removed(removed.count, .tooOld))
    }
  }

  static let clock = UTCClock()
  /// How many descriptors are taken to open a library, most of which it keeps: for its folder, its lock and two connections to its index.
  static let descriptors = 10
}

/// What comparing the files with the index has found so far.
struct ReconciliationOutcome {
  var isReconciling = true
  var recovered = 0
  var lost = 0
  var setAside = 0
}

/// What a library reports to its node's log.
public enum LibraryNotice: Sendable {
  public enum Cause: Sendable { case tooOld, noRoom }
  case opened(path: String, assets: Int)
  case unavailable(String)
  case indexSetAside(String)
  case reconciled(recovered: Int, lost: Int, setAside: Int)
  case removed(Int, Cause)
}
