import CaptureClient

@Sendable func listDevices(_ context: CommandContext) async throws {
  if context.arguments[Options.watch] { return try await watchDevices(context) }
  let (listed, notServed) = try await context.node.camerasAndMissing()
  let cameras = listed.compactMap(\.info)
  if context.arguments[Options.names] {
    let names = cameras.map(\.description.id.rawValue)
    return try context.print(
      ["names": names], text: names.map { "\($0.printable)\n" }.joined())
  }
  try context.print(
    ["devices": cameras, "not_served": notServed],
    text: table(cameras) + notServed.map { "\n" + paragraph("Not served: \($0.printable)") }.joined())
}

private func watchDevices(_ context: CommandContext) async throws {
  for try await change in context.node.cameraEvents() {
    change.resumption?.tell("cameras")
    let (kind, camera): (String, CameraInfo?) =
      switch change.value {
      case .present(let camera): ("present", camera)
      case .listed: ("listed", nil)
      case .appeared(let camera): ("appeared", camera)
      case .vanished(let camera): ("vanished", camera)
      case .changed(let camera): ("changed", camera)
      }
    try context.print(
      ["event": kind, "device": camera, "resumption": change.resumption],
      text: camera.map { "\(kind.padded(to: 8))  \(line($0))\n" } ?? "")
  }
}

private func line(_ camera: CameraInfo) -> String {
  let description = camera.description
  let place = description.path.isEmpty ? "" : " at \(description.path)"
  return "\(camera.index)  \(description.name) (\(description.id))\(place): \(state(camera))".printable
}

private func state(_ camera: CameraInfo) -> String {
  if !camera.isPresent { return "unplugged" }
  if let reason = camera.description.unusableReason { return "unusable: \(reason)" }
  return camera.response.words ?? "ready"
}

extension Responsiveness {
  /// The word for programs.
  var word: String {
    switch self {
    case .responding: "responding"
    case .slow: "slow"
    case .notResponding: "not_responding"
    }
  }

  /// The words for people; `nil` where all is well.
  var words: String? {
    switch self {
    case .responding: nil
    case .slow: "slow: its driver has not answered for 2 s"
    case .notResponding: "not responding: its driver has not answered for 10 s"
    }
  }
}

private func table(_ cameras: [CameraInfo]) -> String {
  guard !cameras.isEmpty else { return "The node has no cameras.\n" }
  return TextTable(.number("INDEX"), .flexible("NAME"), "IDENTITY", "PATH", .flexible("STATE"), of: cameras) {
    camera in
    let description = camera.description
    return [
      "\(camera.index)", description.name, description.id.rawValue,
      description.path.isEmpty ? "-" : description.path, state(camera),
    ]
  }.text()
}

extension CameraInfo: JSONValue {
  var json: JSON {
    let position =
      switch description.position {
      case .unspecified: "unspecified"
      case .front: "front"
      case .back: "back"
      case .external: "external"
      }
    return [
      "index": index, "id": description.id.rawValue, "name": description.name, "model": description.model,
      "driver": description.driver, "bus": description.bus, "path": description.path,
      "serial": description.serial, "position": position, "present": isPresent,
      "usable": description.unusableReason == nil, "unusable_reason": description.unusableReason,
      "multiplanar": description.isMultiplanar, "response": response.word,
      "capturing_photo": isCapturingPhoto,
    ]
  }
}
