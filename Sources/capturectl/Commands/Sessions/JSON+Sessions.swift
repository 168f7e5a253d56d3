import CaptureClient

extension SessionEvent: JSONValue {
  var json: JSON { ["event": kind.word, "reason": kind.reason, "text": text, "session": status] }
}

extension ActiveFormat: JSONValue {
  var json: JSON { ["pixel_format": pixelFormat, "size": size, "interval": interval] }
}

extension JSON {
  /// If a camera is bound to a lower rate than the requested one, a further member has the bound of each camera.
  init(_ session: SessionStatus, _ bounds: [RateBound?] = []) {
    let isBound = bounds.contains { $0 != nil }
    self = session.json.adding(isBound ? ["rate_bounds": bounds] : [:])
  }
}

extension SessionStatus: JSONValue {
  var json: JSON {
    [
      "session": name, "named": isNamed, "running": isRunning, "revision": revision,
      "preset": configuration.preset.name,
      "inputs": configuration.inputs.map { ["camera": $0.camera, "format": $0.format] as JSON },
      "active_formats": activeFormats,
      "outputs": configuration.outputs.map { json(of: $0) }, "interruption": interruption,
      "subscribers": subscribers, "owner": owner,
      "error": error.map { ["code": $0.code.name, "message": $0.message] as JSON },
    ]
  }

  private func json(of output: SessionConfiguration.Output) -> JSON {
    let connection = configuration.connection(to: output.name)
    return [
      "name": output.name, "kind": output.kind.rawValue, "camera": connection?.camera,
      "orientation": connection?.orientation ?? 0, "mirrored": connection?.isMirrored ?? false,
      "enabled": connection?.isEnabled ?? false,
      "crop_factor": JSON.number(connection?.cropFactor ?? 1, decimals: 3),
    ]
  }
}
