/// Where pictures come from.
public enum PictureOrigin: Hashable, Sendable {
  /// A camera's default session: its identity, a unique part of one, or its index.
  case camera(String)
  /// An output of a session; `nil`: its only output for that kind of picture.
  case session(String, output: String? = nil)

  var camera: String { if case .camera(let name) = self { name } else { "" } }
  var session: String { if case .session(let name, _) = self { name } else { "" } }
  var output: String { if case .session(_, let output?) = self { output } else { "" } }
}
