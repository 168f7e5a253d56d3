/// What a client may do with a node's library (`PHPhotoLibrary.authorizationStatus(for:)`).
public struct LibraryAuthorization: Hashable, Sendable {
  /// `PHAuthorizationStatus`.
  public enum Status: String, CaseIterable, Hashable, Sendable {
    /// The client may do it.
    case authorized
    /// The client may do it only with pictures that it has added.
    case limited
    /// The client may not do it.
    case denied
    /// A newer node has more answers.
    case unknown
  }
  /// Whether it may add pictures.
  public var add: Status
  /// Whether it may list and download them.
  public var read: Status
  /// Whether it may delete them, and change their labels.
  public var delete: Status

  package init(add: Status, read: Status, delete: Status) {
    (self.add, self.read, self.delete) = (add, read, delete)
  }
}
