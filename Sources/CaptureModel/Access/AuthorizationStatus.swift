/// Whether a node lets a program do something (`AVAuthorizationStatus`).
public enum AuthorizationStatus: String, CaseIterable, Hashable, Sendable {
  /// The program may ask for it (`RemoteNode.requestAccess`), or has asked and nobody has decided.
  case notDetermined
  /// The program may not, and cannot ask for it: the node's configuration decides the program's rights, or it wants the role admin.
  case restricted
  /// The program's request was denied less than an hour ago.
  case denied
  /// The program may do it.
  case authorized
}
