import CaptureClient
import CaptureControls
import CaptureModel
import CaptureOptions

/// Names that a node has, which shells offer. Those of a camera or a session are of the one that stands on the line.
enum NodeNames: String {
  case cameras, controls, assignments, settings, formats, inputs, profiles, sessions, outputs
  /// A session or, behind its name and a slash, its outputs.
  case sources

  func found(by node: RemoteNode, for line: TypedLine) async throws -> [String] {
    switch self {
    case .cameras: return try await node.devices().map(\.description.id.rawValue)
    case .sessions: return try await node.sessions().map(\.name)
    case .outputs:
      guard let session = line[Options.session] else { return [] }
      return try await node.outputs(of: session)
    case .sources:
      guard let slash = line.fragment.firstIndex(of: "/") else {
        return try await node.sessions().map(\.name)
      }
      let session = String(line.fragment[..<slash])
      return try await node.outputs(of: session).map { "\(session)/\($0)" }
    case .controls, .assignments, .settings, .formats, .inputs, .profiles:
      guard let camera = line[Options.camera] else { return [] }
      return try await found(by: node, of: camera, line.fragment)
    }
  }

  private func found(by node: RemoteNode, of camera: String, _ fragment: String) async throws -> [String] {
    switch self {
    case .formats: try await node.formats(of: camera).map(\.description.pixelFormat.description)
    case .inputs: try await node.inputs(of: camera).map(\.name)
    case .profiles: try await node.profiles(of: camera).map(\.name)
    case .settings: try await node.settingNames(of: camera) + node.usableControls(of: camera).map(\.name)
    case .assignments: try await node.usableControls(of: camera).flatMap { $0.assignments(behind: fragment) }
    default: try await node.usableControls(of: camera).map(\.name)
    }
  }
}

extension Completion {
  /// Names of the node, and words that are offered even without one.
  static func names(_ names: NodeNames, besides words: [String] = []) -> Completion {
    .program(names.rawValue, besides: words)
  }
}

extension RemoteNode {
  fileprivate func outputs(of session: String) async throws -> [String] {
    try await self.session(session).configuration.outputs.map(\.name)
  }

  fileprivate func usableControls(of camera: String) async throws -> [ControlDescription] {
    try await controls(of: camera).map(\.description).filter {
      $0.type != .controlClass && !$0.flags.contains(.disabled)
    }
  }

  /// The groups of settings that the camera has, and the settings in them.
  fileprivate func settingNames(of camera: String) async throws -> [String] {
    let settings = try await settings(of: camera)
    let groups: [(name: String, isThere: Bool)] = [
      ("focus", settings.focus != nil), ("exposure", settings.exposure != nil),
      ("white_balance", settings.whiteBalance != nil), ("zoom", settings.zoom != nil),
      ("torch", settings.torch != nil), ("flash", settings.flash != nil), ("frame_duration", true),
    ]
    return groups.filter(\.isThere).flatMap { group in
      let inGroup = Setting.allCases.filter { $0.group == group.name && $0.rawValue != group.name }
      return [group.name] + inGroup.map(\.rawValue)
    }
  }
}

extension ControlDescription {
  /// "brightness="; where the name and the sign are typed, the values that have a name: "auto_exposure=Manual Mode".
  fileprivate func assignments(behind fragment: String) -> [String] {
    guard !flags.contains(.readOnly) else { return [] }
    guard fragment.hasPrefix("\(name)=") else { return ["\(name)="] }
    switch type {
    case .boolean: return ["\(name)=on", "\(name)=off"]
    default: return menu.compactMap { item(at: $0.index) }.map { "\(name)=\($0)" }
    }
  }
}
