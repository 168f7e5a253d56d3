import CaptureClient

extension JSON {
  init(_ viewer: Viewer) {
    self = [
      "camera": .string(viewer.camera.rawValue), "kind": viewer.kind.map { .string($0.rawValue) } ?? .null,
      "client": viewer.client.map(JSON.string) ?? .null, "user": viewer.user.map(JSON.string) ?? .null,
      "address": .string(viewer.address), "age_ms": JSON(UInt64(max(.zero, viewer.age) / .milliseconds(1))),
      "waiting": .bool(viewer.isWaiting),
    ]
  }
}

/// Who takes frames now, as a table. `title`: of the column of cameras, in which `camera` has what one is called.
func viewersText(
  _ viewers: [Viewer], width: Int?, title: String, camera: (CameraID) -> String
) -> String {
  var table = TextTable([
    .init(title, isFlexible: true), .init("VIEWER", isFlexible: true), .init("FROM", isFlexible: true),
    .init("TAKES"), .init("FOR"),
  ])
  for viewer in viewers {
    table.add(
      camera(viewer.camera), viewer.name, viewer.address == "unix" ? "Unix socket" : viewer.address,
      viewer.takes, durationText(milliseconds: UInt64(max(.zero, viewer.age) / .milliseconds(1))))
  }
  return table.text(width: width)
}

extension Viewer {
  /// A client's name is told from a user's, for a client may be called "root".
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
