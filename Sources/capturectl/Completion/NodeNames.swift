import CaptureClient
import CaptureOptions

/// The kinds of names that shells get from a node. Controls, formats and the like are those of the camera that the typed line names; outputs are
/// those of the session that it names.
enum NodeNames: String {
  case cameras, controls, assignments, settings, formats, inputs, profiles, sessions, outputs, assets, jobs
  /// The sessions or, behind a session's name and a slash, its outputs.
  case sources
  /// A session's outputs or, behind a name and a sign of equality, the cameras that an output can have.
  case outputCameras

  func ask(_ node: RemoteNode, for line: TypedLine) async throws -> [String] {
    switch self {
    case .cameras: return try await node.cameras().map(\.name)
    case .sessions: return try await node.sessions().map(\.name)
    case .assets: return try await node.library.page(count: 50).assets.map(\.id)
    case .jobs: return try await node.jobs().map(\.id)
    case .outputs: return try await outputs(of: node, for: line)
    case .outputCameras:
      guard let sign = line.fragment.firstIndex(of: "=") else {
        return try await outputs(of: node, for: line)
      }
      return try await node.cameras().map { "\(line.fragment[...sign])\($0.name)" }
    case .sources:
      guard let slash = line.fragment.firstIndex(of: "/") else {
        return try await node.sessions().map(\.name)
      }
      let session = String(line.fragment[..<slash])
      return try await node.session(session).outputs().map { "\(session)/\($0)" }
    case .controls, .assignments, .settings, .formats, .inputs, .profiles:
      guard let camera = line[Options.camera] else { return [] }
      return try await ask(node.camera(camera), line.fragment)
    }
  }

  private func outputs(of node: RemoteNode, for line: TypedLine) async throws -> [String] {
    guard let session = line[Options.session] else { return [] }
    return try await node.session(session).outputs()
  }

  private func ask(_ camera: Camera, _ fragment: String) async throws -> [String] {
    switch self {
    case .formats: try await camera.formats().map(\.description.pixelFormat.description)
    case .inputs: try await camera.inputs().map(\.name)
    case .profiles: try await camera.profiles().map(\.name)
    case .settings: try await camera.settings().names + camera.usableControls().map(\.name)
    case .assignments: try await camera.usableControls().flatMap { $0.assignments(completing: fragment) }
    default: try await camera.usableControls().map(\.name)
    }
  }
}

extension Completion {
  /// Names of the node, and words that are offered even without one.
  static func names(_ names: NodeNames, besides words: [String] = []) -> Completion {
    .program(names.rawValue, besides: words)
  }
}

extension Session {
  fileprivate func outputs() async throws -> [String] { try await status().configuration.outputs.map(\.name) }
}

extension Camera {
  fileprivate func usableControls() async throws -> [ControlDescription] {
    try await controls().map(\.description).filter {
      $0.type != .controlClass && !$0.flags.contains(.disabled)
    }
  }
}

extension ControlDescription {
  /// "brightness="; where the name and the sign are typed, the values that have a name: "auto_exposure=Manual Mode".
  fileprivate func assignments(completing fragment: String) -> [String] {
    guard !flags.contains(.readOnly) else { return [] }
    guard fragment.hasPrefix("\(name)=") else { return ["\(name)="] }
    switch type {
    case .boolean: return ["\(name)=on", "\(name)=off"]
    default: return menu.compactMap { menuName(at: $0.index) }.map { "\(name)=\($0)" }
    }
  }
}
