import CaptureClient

func sessionTable(_ sessions: [SessionStatus]) -> String {
  guard !sessions.isEmpty else { return "The node has no sessions.\n" }
  return TextTable(
    "SESSION", "STATE", .flexible("CAMERAS"), "PRESET", .number("VIEWERS"), .flexible("OWNER"), of: sessions
  ) { session in
    let isByFormat = session.configuration.inputs.contains { $0.format != nil }
    return [
      session.name, session.state,
      session.configuration.inputs.map(\.camera).joined(separator: ", "),
      isByFormat ? "(active format)" : session.configuration.preset.name, "\(session.subscribers)",
      session.isNamed ? "(by name)" : session.owner,
    ]
  }.text()
}

/// `bounds`: for each of the session's cameras, the bound that keeps the camera from the requested rate.
func sessionText(_ session: SessionStatus, _ bounds: [RateBound?] = []) -> String {
  let configuration = session.configuration
  var list: TextList = [
    "Session": session.name, "State": session.state,
    "Lives": session.isNamed ? "until it is closed" : "as long as \(session.owner) is connected",
    "Revision": "\(session.revision)", "Viewers": "\(session.subscribers)",
    "Interrupted": session.interruption, "Error": session.error?.message,
  ]
  for (index, input) in configuration.inputs.enumerated() {
    let active = session.activeFormats.indices.contains(index) ? session.activeFormats[index] : nil
    let asked = input.format?.text ?? "preset \(configuration.preset.name)"
    let runs = active.map { ", runs at \($0.text)" } ?? ""
    let bound = bounds.indices.contains(index) ? bounds[index] : nil
    let why =
      bound.map { "; 'frame-duration' limits the camera to \(plain($0.highest)) frames a second" } ?? ""
    list.items.append(("Camera", "\(input.camera): \(asked)\(runs)\(why)"))
  }
  guard !configuration.outputs.isEmpty else { return list.text() }
  let table = TextTable(
    "OUTPUT", "KIND", .flexible("CAMERA"), .flexible("PICTURE"), of: configuration.outputs
  ) { output in
    let connection = configuration.connection(to: output.name)
    return [
      output.name, output.kind.rawValue, connection?.camera ?? "-", connection?.text ?? "not connected",
    ]
  }
  return list.text() + "\n" + table.text()
}

func sessionLine(_ event: SessionEvent) -> String {
  let text = event.kind == .status ? event.status.state : event.text
  return "\(event.kind.word)\(text.isEmpty ? "" : ": \(text)")\n".replacing("\n", with: "").printable + "\n"
}

extension SessionStatus {
  var state: String { !isRunning ? "stopped" : interruption == nil ? "running" : "interrupted" }
}

extension ActiveFormat {
  fileprivate var text: String {
    let parts = [size.map { "\($0)" }, pixelFormat.map { "\($0)" }, interval.map { "at \($0)" }]
    return parts.compactMap { $0 }.joined(separator: " ")
  }
}

extension SessionConnection {
  fileprivate var text: String {
    var parts: [String] = []
    if !isEnabled { parts.append("disabled") }
    if orientation != 0 { parts.append("turned by \(orientation)°") }
    if isMirrored { parts.append("mirrored") }
    if cropFactor != 1 { parts.append("enlarged \(fixed(cropFactor, 2)) times") }
    return parts.isEmpty ? "as it is" : parts.joined(separator: ", ")
  }
}

extension SessionEvent.Kind {
  var word: String {
    switch self {
    case .status: "session"
    case .started: "started"
    case .stopped: "stopped"
    case .configured: "configured"
    case .runtimeError: "runtime_error"
    case .interrupted: "interrupted"
    case .interruptionEnded: "interruption_ended"
    case .closed: "closed"
    }
  }

  /// The reason of an interruption; `nil` for other events.
  var reason: String? {
    guard case .interrupted(let interruption) = self else { return nil }
    return switch interruption {
    case .cameraUnplugged: "camera_unplugged"
    case .cameraInUse: "camera_in_use"
    case .nodeDraining: "node_draining"
    case .cameraSilent: "camera_silent"
    }
  }
}
