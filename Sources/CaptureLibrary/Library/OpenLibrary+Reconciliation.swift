import CaptureModel
import CaptureSystem
import Glibc

extension OpenLibrary {
  /// Compares files and index, a day at a time, while both are in use. Files without an entry get one, entries without a file are removed, and files
  /// that are not whole are set aside.
  func reconcile() async {
    do throws(CaptureError) {
      try await removeFilesOfDeleted()
      let root = root
      let onDisk = try await scans.run { () throws(CaptureError) in
        do throws(Errno) { return try root.days() } catch {
          throw .library("the folders cannot be read", error)
        }
      }
      let inIndex = try await writer.run { index throws(CaptureError) in try index.days() }
      for day in Set(onDisk).union(inIndex).sorted() where !Task.isCancelled {
        try await reconcile(day, try await list(day))
      }
    } catch {
      report(.unavailable("files and index cannot be compared: \(error.message)"))
    }
    let found = outcome.withLock { outcome in
      outcome.isReconciling = false
      return outcome
    }
    if found.recovered + found.lost + found.setAside > 0 {
      report(.reconciled(recovered: found.recovered, lost: found.lost, setAside: found.setAside))
    }
    await readUnread()
  }

  /// Lists the files of a day, and then the assets that are being added, or that cannot be looked at.
  func list(_ day: String) async throws(CaptureError) -> DayListing {
    try await scans.run { () throws(CaptureError) in
      do throws(Errno) {
        let (files, unknown) = try self.root.files(ofDay: day)
        return DayListing(files: files, spared: unknown.union(self.adding.withLock { $0 }))
      } catch {
        throw .library("the files of \(day) cannot be read", error)
      }
    }
  }

  /// Compares the files of a day with the index.
  func reconcile(_ day: String, _ listing: DayListing) async throws(CaptureError) {
    let root = root
    let (entries, doomed) = try await writer.run { index throws(CaptureError) in
      (try index.files(ofDay: day), try index.filesToRemove(ofDay: day))
    }
    let files = listing.files.filter { !doomed.contains($0.key) }
    let difference = try await scans.run { () throws(CaptureError) in
      do throws(Errno) {
        return try DayDifference(files: files, entries: entries, spared: listing.spared) {
          name throws(Errno) in
          try root.has(name, ofDay: day)
        }
      } catch {
        throw .library("the files of \(day) cannot be read", error)
      }
    }
    try await requireMounted()
    let now = Self.clock.reading(at: MonotonicClock.now()).nanoseconds
    try await scans.run { () throws(CaptureError) in
      for name in difference.broken {
        do throws(Errno) { try root.setAside(name, ofDay: day) } catch {
          throw .library("\(name) cannot be set aside", error)
        }
      }
    }
    outcome.withLock { $0.setAside += difference.broken.count }
    let found = difference.found.map { found in
      StoredAsset(
        id: found.id, media: found.resources[0].type.media, origin: .recovered, resources: found.resources,
        created: found.id.created, added: now)
    }
    // In small pieces, so that nobody who adds an asset waits long.
    for start in stride(from: 0, to: max(found.count, difference.gone.count), by: 500) {
      let some = Array(found.dropFirst(start).prefix(500))
      let gone = Array(difference.gone.dropFirst(start).prefix(500))
      let (added, removed) = try await writer.run { index throws(CaptureError) in
        try index.reconcile(adding: some, removing: gone)
      }
      outcome.withLock {
        $0.recovered += added.assets
        $0.lost += removed.assets
      }
      guard added.assets + removed.assets > 0 else { continue }
      // Only the difference is counted: an asset that is being added or deleted may be in the index, or be gone from it, and not be counted yet.
      usage.withLock {
        $0.add(added)
        $0.remove(removed)
      }
      wakeWatches()
    }
  }

  /// Reads the files of which no checksum is known, one asset after the other.
  private func readUnread() async {
    var last: AssetID?
    while !Task.isCancelled {
      let done = last
      guard
        let some = try? await writer.run({ index throws(CaptureError) in
          try index.unread(after: done, count: 64)
        }), !some.isEmpty
      else { return }
      for asset in some where !Task.isCancelled { _ = try? await read(asset) }
      last = some.last?.id
    }
  }

  /// Reads an asset's files, and notes their checksums, its size and its thumbnail. Returns the asset as the index then has it.
  func read(_ asset: StoredAsset) async throws(CaptureError) -> StoredAsset {
    let (root, imaging) = (root, imaging)
    let (sums, examination) = try await scans.run { () throws(CaptureError) in
      var sums: [Int: [UInt8]] = [:]
      var examination: LibraryImaging.Examination?
      for (place, resource) in asset.resources.enumerated() {
        let path = asset.id.path(place, resource.type)
        let file: SharedDescriptor
        do throws(Errno) { file = try root.open(asset.id, place, resource.type) } catch {
          throw .libraryFileGone(path, error)
        }
        // The file is mapped with the length in its entry, so it must be that long. Nobody makes a library's file shorter.
        guard FileLength.of(file) == resource.bytes else {
          throw CaptureError(.dataLoss, "\(path) is not as long as it was", .init(.damagedPicture))
        }
        try MappedFile.with(
          file.raw, count: Int(resource.bytes),
          failed: { CaptureError.libraryFileUnreadable("the file \(path)", $0) }
        ) { bytes throws(CaptureError) in
          let hash = SHA256()
          hash.update(bytes)
          sums[place] = hash.finish()
          if examination == nil { examination = try? imaging.examine(bytes, resource.type) }
        }
      }
      return (sums, examination)
    }
    return try await writer.run { index throws(CaptureError) in
      try index.complete(
        asset.id, checksums: sums, size: examination?.size, thumbnail: examination?.thumbnail)
      guard let read = try index.asset(asset.id) else { throw .unknownAsset(asset.id.text) }
      return read
    }
  }
}

extension CaptureError {
  /// The error of a picture's file that cannot be opened. What somebody has done to one file says nothing of the others, and does not close the library.
  static func libraryFileGone(_ path: String, _ error: Errno) -> CaptureError {
    switch error.rawValue {
    case ENOENT:
      CaptureError(.dataLoss, "the file \(path) is gone: somebody has removed it", .init(.damagedPicture))
    case ELOOP, ENOTDIR, EACCES, EPERM:
      CaptureError(
        .dataLoss,
        "the file \(path) cannot be opened: \(error). It has to be a file, and no link, that the node's user may read",
        cause: error, .init(.damagedPicture))
    case EIO: .libraryFileUnreadable("the file \(path)", error)
    default: .library("\(path) cannot be opened", error)
    }
  }

  /// The error of a picture's file that cannot be read. A bad sector, too, says nothing of the other files: a disk that has gone is found in other ways.
  static func libraryFileUnreadable(_ what: String, _ error: Errno) -> CaptureError {
    guard error == .inputOutput else { return .library("\(what) cannot be read", error) }
    return CaptureError(
      .dataLoss, "\(what) cannot be read: \(error)", cause: error, .init(.damagedPicture))
  }

  static func unknownAsset(_ id: String, field: String = "id") -> CaptureError {
    CaptureError(
      .notFound, "the library has no asset \(id.quoted)",
      .init(.unknownName, field: field, asked: .text(id)))
  }
}
