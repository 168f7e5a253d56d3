import CaptureClient

extension JSON {
  /// If a camera is bound to a lower rate than the requested one, a further member has the bound of each camera.
  init(_ session: SessionStatus, _ bounds: [RateBound?] = []) {
    let configuration = session.configuration
    var members: [(String, JSON)] = [
      ("session", .string(session.name)), ("named", .bool(session.isNamed)),
      ("running", .bool(session.isRunning)),
      ("revision", JSON(session.revision)), ("preset", .string(configuration.preset.name)),
      (
        "inputs",
        .array(
          configuration.inputs.map {
            ["camera": .string($0.camera), "format": $0.format.map { JSON($0) } ?? .null]
          })
      ),
      ("active_formats", .array(session.activeFormats.map { $0.map { JSON($0) } ?? .null })),
      ("outputs", .array(configuration.outputs.map { Self.output($0, of: configuration) })),
      ("interruption", JSON(session.interruption)), ("subscribers", JSON(session.subscribers)),
      ("owner", .string(session.owner)),
      (
        "error",
        session.error.map { ["code": .string($0.code.name), "message": .string($0.message)] } ?? .null
      ),
    ]
    if bounds.contains(where: { $0 != nil }) {
      members.append(("rate_bounds", .array(bounds.map { $0.map { JSON($0) } ?? .null })))
    }
    self = .object(members)
  }

  init(_ event: SessionEvent) {
    self = [
      "event": .string(event.kind.word), "reason": JSON(event.kind.reason), "text": .string(event.text),
      "session": JSON(event.status),
    ]
  }

  private init(_ format: ActiveFormat) {
    self = [
      "pixel_format": format.pixelFormat.map { JSON($0) } ?? .null,
      "size": format.size.map { JSON($0) } ?? .null,
      "interval": format.interval.map { JSON($0) } ?? .null,
    ]
  }

  private static func output(
    _ output: SessionConfiguration.Output, of configuration: SessionConfiguration
  ) -> JSON {
    let connection = configuration.connection(to: output.name)
    return [
      "name": .string(output.name), "kind": .string(output.kind.rawValue), "camera": JSON(connection?.camera),
      "orientation": JSON(connection?.orientation ?? 0), "mirrored": .bool(connection?.isMirrored ?? false),
      "enabled": .bool(connection?.isEnabled ?? false),
      "crop_factor": .number(connection?.cropFactor ?? 1, decimals: 3),
    ]
  }
}
