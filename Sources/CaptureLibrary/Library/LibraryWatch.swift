public import CaptureModel

/// What happened to an asset (`PHChange`).
public enum LibraryEvent: Sendable {
  case added(StoredAsset, token: String)
  case changed(StoredAsset, token: String)
  case deleted(AssetID, token: String)
  /// The token was too old, of another library, or from before the index was made anew: list again.
  case reset(token: String)
  /// All changes since the watch's token have been sent.
  case current(token: String)
}

/// The changes of a library, in their order. Only one task may read a watch.
public struct LibraryWatch {
  private let library: OpenLibrary
  private let filter: AssetFilter
  private var revision: UInt64
  private var signals: AsyncStream<Void>.Iterator
  private var events: [LibraryEvent] = []
  private var isCurrent = false
  /// Whether there may be changes that were not read yet.
  private var hasMore = false

  init(
    _ library: OpenLibrary, _ filter: AssetFilter, from text: String?, limit: Int
  ) async throws(CaptureError) {
    let token = try text.map { text throws(CaptureError) in try WatchToken(text) }
    (self.library, self.filter) = (library, filter)
    signals = try library.watch(limit: limit).makeAsyncIterator()
    let known = try await library.reader.run { index throws(CaptureError) in try index.revisions() }
    if let token {
      revision = token.revision
      if token.index != library.indexID || revision < known.forgotten || revision > known.latest {
        revision = known.latest
        events = [.reset(token: WatchToken(index: library.indexID, revision: revision).text)]
      }
    } else {
      revision = known.latest
    }
  }

  /// Waits for the next event. Throws `unavailable` when the library is closed or its watches are ended, and `cancelled` when the task is cancelled.
  public mutating func next() async throws(CaptureError) -> LibraryEvent {
    while true {
      if !events.isEmpty { return events.removeFirst() }
      if !hasMore, await signals.next() == nil {
        try CaptureError.checkCancellation()
        throw library.endOfWatches
      }
      try await fill()
    }
  }

  /// Reads the changes after the last one, piece by piece, until there are no more or this watch has a piece of events.
  private mutating func fill() async throws(CaptureError) {
    let piece = 256
    while events.count < piece {
      let last = revision
      let changes = try await library.reader.run { index throws(CaptureError) in
        try index.changes(after: last, count: piece)
      }
      for change in changes {
        revision = change.revision
        if let event = event(of: change) { events.append(event) }
      }
      hasMore = changes.count == piece
      if !hasMore { return noteCurrent() }
    }
  }

  private mutating func noteCurrent() {
    guard !isCurrent else { return }
    isCurrent = true
    events.append(.current(token: token))
  }

  private var token: String { WatchToken(index: library.indexID, revision: revision).text }

  private func event(of change: LibraryIndex.Change) -> LibraryEvent? {
    switch change {
    case .added(let asset): filter.matches(asset) ? .added(asset, token: token) : nil
    case .changed(let asset): filter.matches(asset) ? .changed(asset, token: token) : nil
    // A deletion is compared with the scope alone: only the camera and the client of a deleted asset are remembered.
    case .deleted(let id, let device, let owner, _):
      filter.scope.contains(device: device, addedBy: owner) ? .deleted(id, token: token) : nil
    }
  }
}
