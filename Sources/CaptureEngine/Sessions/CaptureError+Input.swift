import CaptureModel

extension CaptureError {
  /// Returns this error as the error of a session's input: its details name the camera, and the field as a path in the request that configures the
  /// session. `index`: the input's place in that request.
  func naming(_ input: SessionConfiguration.Input, at index: Int, _ device: Device) -> CaptureError {
    guard var details = about(device: device.id).details else { return self }
    let path = SessionConfiguration.path(ofInput: index)
    // If the input has no format of its own, the preset decides, and the error is about the preset.
    let format = input.format == nil ? nil : "\(path).format"
    switch details.field {
    case nil: details.field = "\(path).\(Self.deviceField)"
    case "rate", "format.duration":
      if details.field == "rate" { details.turnRateIntoDuration() }
      details.field = format.map { "\($0).duration" }
    case "pixel_format", "size": details.field = format.map { "\($0).\(details.field ?? "")" }
    default: details.field = format
    }
    details.field = details.field ?? SessionConfiguration.presetPath
    return with(details)
  }

  /// Returns this error as the error of the input whose camera its details name.
  func namingInput(in configuration: SessionConfiguration, _ cameras: [String: Device]) -> CaptureError {
    guard let name = details?.device, let device = cameras[name],
      let index = configuration.inputs.firstIndex(where: { $0.camera == name })
    else { return self }
    return naming(configuration.inputs[index], at: index, device)
  }
}

extension CaptureError.Details {
  /// Converts frames a second into seconds, the unit of the field.
  fileprivate mutating func turnRateIntoDuration() {
    if case .number(let rate)? = asked { asked = .number(1 / rate) }
    range = range.map { .init(1 / $0.maximum, 1 / $0.minimum) }
  }
}
