/// Whether a node lets a program do something (`AVAuthorizationStatus`).
public enum AuthorizationStatus: String, CaseIterable, Hashable, Sendable {
  /// It may ask (`RemoteNode.requestAccess`), or has asked and nobody has decided.
  case notDetermined
  /// It may not, and cannot ask: the node's configuration decides its rights, or it wants the role admin.
  case restricted
  /// Its request was denied less than an hour ago.
  case denied
  /// It may.
  case authorized
}
