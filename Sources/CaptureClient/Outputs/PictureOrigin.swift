/// Where pictures come from.
public enum PictureOrigin: Hashable, Sendable {
  /// The default session of a camera. The text is the camera's identity, a part of it that no other camera has, or the camera's index.
  case camera(String)
  /// An output of a session; `nil`: its only output for that kind of picture.
  case session(String, output: String? = nil)

  var camera: String { if case .camera(let name) = self { name } else { "" } }
  var session: String { if case .session(let name, _) = self { name } else { "" } }
  var output: String { if case .session(_, let output?) = self { output } else { "" } }

  /// The camera, as a sequence of its pictures names it. `isIdentified`: it is named by the identity that the node has told.
  func reference(isIdentified: Bool) -> CameraReference {
    CameraReference(camera, isIdentified: isIdentified)
  }
}
