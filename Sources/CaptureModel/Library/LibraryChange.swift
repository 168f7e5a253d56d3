/// What happened to a library (`PHChange`).
public struct LibraryChange: Sendable {
  /// What happened.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// There is a new asset.
    case added
    /// Its labels have changed, or facts of it that were unknown before are known.
    case changed
    /// It was deleted. Only its name is set.
    case deleted
    /// The token was too old, of another library, or from before the index was made anew: list again. Later changes follow.
    case reset
    /// All changes since the token have been sent.
    case current
  }
  /// What happened.
  public var kind: Kind
  /// `nil` for `reset` and `current`. For `deleted`, only the asset's `id` means something.
  public var asset: LibraryAsset?
  /// The token from which a watch continues after this change: `RemoteLibrary.changes(from:_:)`.
  public var token: String

  package init(_ kind: Kind, _ asset: LibraryAsset?, token: String) {
    (self.kind, self.asset, self.token) = (kind, asset, token)
  }
}
