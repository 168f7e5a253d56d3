extension CaptureError {
  /// Returns the same error; the field that its details name is below `path`, where the request has it. Without a field it is about `path` itself.
  public func below(_ path: String) -> CaptureError {
    guard var details else { return self }
    details.field = details.field.map { "\(path).\($0)" } ?? path
    return with(details)
  }

  /// Returns the same error; its details name that field in place of theirs.
  public func naming(_ field: String) -> CaptureError {
    guard var details else { return self }
    details.field = field
    return with(details)
  }
}

/// The places of a session's parts in the request that configures it.
extension SessionConfiguration {
  /// "configuration.inputs[0]"
  public static func path(ofInput index: Int) -> String { "configuration.inputs[\(index)]" }
  /// "configuration.outputs[0]"
  public static func path(ofOutput index: Int) -> String { "configuration.outputs[\(index)]" }
  /// "configuration.connections[0]"
  public static func path(ofConnection index: Int) -> String { "configuration.connections[\(index)]" }
  /// "configuration.preset"
  public static let presetPath = "configuration.preset"
}
