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
    /// The token was too old, or of another library: list again. What changes from here on follows.
    case reset
    /// Everything that changed since the token has been sent.
    case current
  }
  /// What happened.
  public var kind: Kind
  /// `nil` for `reset` and `current`. Of one that was deleted only `id` means something.
  public var asset: LibraryAsset?
  /// Continues after this change: `RemoteLibrary.changes(from:_:)`.
  public var token: String

  package init(_ kind: Kind, _ asset: LibraryAsset?, token: String) {
    (self.kind, self.asset, self.token) = (kind, asset, token)
  }
}
