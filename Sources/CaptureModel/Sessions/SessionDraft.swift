/// A session's configuration in the making. It refuses what cannot be added, with the reason (`canAddInput`, `canAddOutput` and `canAddConnection` of
/// `AVCaptureSession`).
///
/// It compares cameras by the names that the caller uses, so these should be identities.
public struct SessionDraft: Sendable {
  public private(set) var configuration: SessionConfiguration

  public init(preset: SessionPreset = .high) {
    configuration = SessionConfiguration(preset: preset)
  }

  /// Throws `invalidArgument` for an input that cannot be added.
  public mutating func add(_ input: SessionConfiguration.Input) throws(CaptureError) {
    let device =
      "\(SessionConfiguration.path(ofInput: configuration.inputs.count)).\(CaptureError.deviceField)"
    guard !input.camera.isEmpty else {
      throw refusal("an input names no camera", .init(.valueMissing, field: device))
    }
    guard !configuration.inputs.contains(where: { $0.camera == input.camera }) else {
      throw refusal(
        "\(input.camera.quoted) is an input twice; a camera is in a session once",
        .init(.fieldsExclusive, field: device, asked: .text(input.camera)))
    }
    guard configuration.inputs.count < NodeLimit.inputsPerSession.usual else {
      throw refusal(
        "a session has at most \(NodeLimit.inputsPerSession.usual) inputs (inputsPerSession)",
        NodeLimit.inputsPerSession.details(), "configuration.inputs")
    }
    configuration.inputs.append(input)
  }

  /// Throws `invalidArgument` for an output that cannot be added.
  public mutating func add(_ output: SessionConfiguration.Output) throws(CaptureError) {
    let name = "\(SessionConfiguration.path(ofOutput: configuration.outputs.count)).name"
    guard SessionName.isPossible(output.name) else {
      throw refusal(
        "\(output.name.quoted) cannot be an output's name; \(SessionName.rule)",
        .init(.valueNotPossible, field: name, asked: .text(output.name)))
    }
    guard !configuration.outputs.contains(where: { $0.name == output.name }) else {
      throw refusal(
        "there are two outputs '\(output.name)'; each needs a name of its own",
        .init(.fieldsExclusive, field: name, asked: .text(output.name)))
    }
    guard configuration.outputs.count < NodeLimit.outputsPerSession.usual else {
      throw refusal(
        "a session has at most \(NodeLimit.outputsPerSession.usual) outputs (outputsPerSession)",
        NodeLimit.outputsPerSession.details(), "configuration.outputs")
    }
    configuration.outputs.append(output)
  }

  /// Adds a connection between an input and an output that have been added. Throws `invalidArgument`.
  public mutating func add(_ connection: SessionConnection) throws(CaptureError) {
    let path = SessionConfiguration.path(ofConnection: configuration.connections.count)
    do throws(CaptureError) { _ = try connection.transform } catch { throw error.below(path) }
    guard let first = configuration.inputs.first else {
      throw noInput
    }
    guard configuration.outputs.contains(where: { $0.name == connection.output }) else {
      throw refusal(
        "a connection leads to \(connection.output.quoted), which is no output; there are: "
          + names(configuration.outputs.map(\.name)),
        .init(
          .unknownName, field: "\(path).output", asked: .text(connection.output),
          possible: configuration.outputs.map(\.name)))
    }
    var connection = connection
    if connection.camera.isEmpty { connection.camera = first.camera }
    guard configuration.inputs.contains(where: { $0.camera == connection.camera }) else {
      throw refusal(
        "a connection to \(connection.output.quoted) comes from \(connection.camera.quoted), which is no input; there are: "
          + names(configuration.inputs.map(\.camera)),
        .init(
          .unknownName, field: "\(path).\(CaptureError.deviceField)", asked: .text(connection.camera),
          possible: configuration.inputs.map(\.camera)))
    }
    if let other = configuration.connections.first(where: { $0.output == connection.output }) {
      throw refusal(
        "\(connection.output.quoted) is connected to \(other.camera.quoted) and to \(connection.camera.quoted); an output has one input",
        .init(.fieldsExclusive, field: "\(path).output", asked: .text(connection.output)))
    }
    configuration.connections.append(connection)
  }

  /// The configuration, with a connection for every output, in their order. Throws `invalidArgument` where there is no camera.
  public func finished() throws(CaptureError) -> SessionConfiguration {
    var draft = self
    guard !configuration.inputs.isEmpty else { throw noInput }
    for output in configuration.outputs
    where !configuration.connections.contains(where: { $0.output == output.name }) {
      try draft.add(SessionConnection(output: output.name))
    }
    let order = configuration.outputs.map(\.name)
    draft.configuration.connections.sort {
      order.firstIndex(of: $0.output)! < order.firstIndex(of: $1.output)!
    }
    return draft.configuration
  }

  private var noInput: CaptureError {
    refusal("a session needs an input: a camera", .init(.valueMissing, field: "configuration.inputs"))
  }

  private func refusal(_ text: String, _ details: CaptureError.Details, _ field: String? = nil)
    -> CaptureError
  {
    CaptureError(.invalidArgument, text, details).about(field: field)
  }

  private func names(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map(\.quoted).joined(separator: ", ")
  }
}

extension SessionConfiguration {
  /// The checked configuration, with a connection for every output. Throws `invalidArgument` for what is not possible, and says what and why.
  public func validated() throws(CaptureError) -> SessionConfiguration {
    var draft = SessionDraft(preset: preset)
    for input in inputs { try draft.add(input) }
    for output in outputs { try draft.add(output) }
    for connection in connections { try draft.add(connection) }
    return try draft.finished()
  }

  /// The connection to an output.
  public func connection(to output: String) -> SessionConnection? {
    connections.first { $0.output == output }
  }
}
