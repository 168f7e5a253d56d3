internal import CaptureModel
internal import CaptureSystem
internal import CaptureWire
import Synchronization

/// What happened to a library. `PHChange`.
public struct LibraryChange: Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable {
    /// There is a new asset.
    case added
    /// Its labels, or what was not known of it before.
    case changed
    /// Only its name is known.
    case deleted
    /// The token was too old, or of another library: list again. What changes from here on follows.
    case reset
    /// All that the token left out was told.
    case current
  }
  /// What happened.
  public var kind: Kind
  /// `nil` for `reset` and `current`. Of one that was deleted only `id` means something.
  public var asset: LibraryAsset?
  /// To go on behind this change: ``RemoteLibrary/changes(from:_:)``.
  public var token: String
}

/// The changes of a library.
public typealias LibraryChanges = ResumingEvents<LibraryChange>

extension RemoteLibrary {
  /// What changes, from a token on; `nil`: from now on. After a lost connection it goes on where it was, and misses nothing.
  /// `PHPhotoLibraryChangeObserver`, with `PHPersistentChangeToken`.
  public func changes(
    from token: String? = nil, _ filter: LibraryFilter = LibraryFilter()
  ) -> LibraryChanges {
    let latest = LatestToken(token ?? "")
    let filter = filter.message
    return LibraryChanges(
      node.connection,
      open: { connection throws(RPCError) in
        try await LibraryClient(connection).watch(
          WatchAssetsRequest(token: latest.token, filter: filter), options: CallOptions(window: 64))
      },
      read: { event in
        guard let change = LibraryChange(event) else { return nil }
        latest.token = change.token
        return change
      })
  }
}

/// The token behind the latest change, for the next call.
private final class LatestToken: Sendable {
  private let value: Mutex<String>
  init(_ token: String) { value = Mutex(token) }

  var token: String {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

extension LibraryChange {
  /// `nil` for what only newer nodes tell.
  fileprivate init?(_ event: AssetEvent) {
    let kinds: [AssetEvent.Kind: Kind] = [
      .added: .added, .changed: .changed, .deleted: .deleted, .reset: .reset, .current: .current,
    ]
    guard let kind = kinds[event.kind] else { return nil }
    self.init(kind: kind, asset: event.asset.map { LibraryAsset($0) }, token: event.token)
  }
}
