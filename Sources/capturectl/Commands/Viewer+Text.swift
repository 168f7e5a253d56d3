import CaptureClient

extension Viewer: JSONValue {
  var json: JSON {
    [
      "camera": camera.rawValue, "kind": kind?.rawValue, "client": client, "user": user, "address": address,
      "age_ms": UInt64(max(.zero, age) / .milliseconds(1)), "waiting": isWaiting,
    ]
  }
}

/// Who takes frames now, as a table. `title`: the title of the column of cameras. `camera` returns a camera's text for that column.
func viewersText(
  _ viewers: [Viewer], width: Int?, title: String, camera: (CameraID) -> String
) -> String {
  TextTable(.flexible(title), .flexible("VIEWER"), .flexible("FROM"), "TAKES", "FOR", of: viewers) {
    viewer in
    [
      camera(viewer.camera), viewer.name, viewer.address == "unix" ? "Unix socket" : viewer.address,
      viewer.takes, durationText(milliseconds: UInt64(max(.zero, viewer.age) / .milliseconds(1))),
    ]
  }.text(width: width)
}

extension Viewer {
  /// A client's name is marked as such, since a client may be called "root", as a user.
  fileprivate var name: String { client.map { "client \($0)" } ?? user ?? "somebody" }

  fileprivate var takes: String {
    let what =
      switch kind {
      case .video: "video"
      case .photo: "photos"
      case nil: "something else"
      }
    return isWaiting ? "\(what), waiting" : what
  }
}
