public import CaptureModel
internal import CaptureWire
import Synchronization

/// The changes of a library.
public typealias LibraryChanges = ResumingEvents<LibraryChange>

extension RemoteLibrary {
  /// Watches changes from a token on (`PHPhotoLibraryChangeObserver`, with `PHPersistentChangeToken`). `token`: `nil`: from now on. After a lost connection
  /// the watch goes on after the last change that was read, as soon as the node has the library open; so does a second iterator.
  ///
  /// It does not end by itself (``ResumingEvents``). A slow reader gets several changes of one picture as one. Throws `failedPrecondition` where the node
  /// has no library, `invalidArgument` for a text that is no token, `unavailable` where the library is not open at the beginning, or is closed meanwhile
  /// since its folder has gone, and `resourceExhausted` where too many clients watch. After an error, the token of the last change continues the watch.
  public func changes(
    from token: String? = nil, _ filter: LibraryFilter = LibraryFilter()
  ) -> LibraryChanges {
    let latest = LatestToken(token ?? "")
    let filter = AssetFilter(filter)
    return LibraryChanges(
      node.connection,
      open: { connection throws(RPCError) in
        try await LibraryClient(connection).watch(
          WatchAssetsRequest(token: latest.token, filter: filter), options: CallOptions(window: 64))
      },
      read: { event in
        guard let change = event.model else { return nil }
        latest.token = change.token
        return change
      }, mayComeBack: { $0.code == .unavailable })
  }
}

/// The token after the latest change, for the next call.
private final class LatestToken: Sendable {
  private let value: Mutex<String>
  init(_ token: String) { value = Mutex(token) }

  var token: String {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
