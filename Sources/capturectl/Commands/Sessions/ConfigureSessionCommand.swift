import CaptureClient
import CaptureOptions

@Sendable func configureSession(_ context: CommandContext) async throws {
  let arguments = context.arguments
  for (one, other) in [(Options.mirror, Options.noMirror), (Options.disable, Options.enable)]
  where arguments[one] && arguments[other] {
    throw Misuse("--\(one.declaration.name) and --\(other.declaration.name) exclude each other")
  }
  let namesFormat =
    arguments.isGiven(Options.sessionFormat) || arguments.isGiven(Options.sessionSize)
    || arguments.isGiven(Options.sessionRate)
  if namesFormat, arguments.isGiven(Options.preset) {
    throw Misuse("--preset sets format, size and rate: give it, or --format, --size and --rate")
  }
  let known = try await knownSession(context)
  var wanted = known?.configuration ?? SessionConfiguration()
  try wanted.change(as: arguments)
  let status = try await context.node.commit(
    context.session.name, wanted, revision: known?.revision, start: arguments[Options.start],
    isDryRun: arguments[Options.dryRun])
  try await printSession(status, context)
}

/// `nil`: the session has to be made.
private func knownSession(_ context: CommandContext) async throws -> SessionStatus? {
  do {
    return try await context.session.status()
  } catch {
    guard error.code == .notFound else { throw error }
    guard context.arguments.isGiven(Options.input) else {
      throw error.with(message: "\(error.message); a new one needs --input CAMERA")
    }
    return nil
  }
}

extension SessionConfiguration {
  /// Changes what the options name; the rest stays.
  mutating func change(as arguments: Arguments) throws(CaptureError) {
    changeInputs(as: arguments)
    changeOutputs(as: arguments)
    try changeConnections(as: arguments)
  }

  private mutating func changeInputs(as arguments: Arguments) {
    let cameras = arguments.all(Options.input)
    if !cameras.isEmpty {
      let before = inputs
      inputs = cameras.map { .init(camera: $0, format: before.first?.format) }
      // An output keeps its place: if it was connected to the second camera, it is connected to the new second one.
      for index in connections.indices {
        let place = before.firstIndex { $0.camera == connections[index].camera } ?? 0
        connections[index].camera = cameras.indices.contains(place) ? cameras[place] : ""
      }
    }
    if let preset = arguments[Options.preset] {
      self.preset = preset
      for index in inputs.indices { inputs[index].format = nil }
    }
    let (pixelFormat, size) = (arguments[Options.sessionFormat], arguments[Options.sessionSize])
    let interval = arguments[Options.sessionRate].flatMap { FrameInterval(rate: $0) }
    guard pixelFormat != nil || size != nil || interval != nil else { return }
    for index in inputs.indices {
      var format = inputs[index].format ?? ActiveFormat()
      if let pixelFormat { format.pixelFormat = pixelFormat }
      if let size { format.size = size }
      if let interval { format.interval = interval }
      inputs[index].format = format
    }
  }

  private mutating func changeOutputs(as arguments: Arguments) {
    let named = Output.Kind.allCases.flatMap { kind in
      arguments.all(kind.option).map { (output: $0, kind: kind) }
    }
    if named.isEmpty, outputs.isEmpty {
      for kind in Output.Kind.allCases { addOutput(kind) }
    }
    guard !named.isEmpty else { return }
    outputs = named.map { Output(name: $0.output.name, kind: $0.kind) }
    let before = connections
    connections = named.map { output, _ in
      var connection =
        before.first { $0.output == output.name } ?? SessionConnection(output: output.name)
      if !output.camera.isEmpty { connection.camera = output.camera }
      return connection
    }
  }

  private mutating func changeConnections(as arguments: Arguments) throws(CaptureError) {
    for output in outputs where !connections.contains(where: { $0.output == output.name }) {
      connections.append(SessionConnection(output: output.name))
    }
    let only = arguments[Options.only]
    if let only, !outputs.contains(where: { $0.name == only }) {
      let names = outputs.map { "'\($0.name)'" }.joined(separator: ", ")
      throw CaptureError(.notFound, "the session has no output '\(only)' for --only; its outputs: \(names)")
    }
    for index in connections.indices where only == nil || connections[index].output == only {
      if let degrees = arguments[Options.orientation].flatMap({ Int($0) }) {
        connections[index].orientation = degrees
      }
      if arguments[Options.mirror] { connections[index].isMirrored = true }
      if arguments[Options.noMirror] { connections[index].isMirrored = false }
      if let factor = arguments[Options.cropFactor] { connections[index].cropFactor = factor }
      if arguments[Options.disable] { connections[index].isEnabled = false }
      if arguments[Options.enable] { connections[index].isEnabled = true }
    }
  }
}

extension SessionConfiguration.Output.Kind {
  /// The option that names outputs of this kind.
  fileprivate var option: Option<NamedOutput> {
    switch self {
    case .video: Options.video
    case .photo: Options.stills
    }
  }
}
