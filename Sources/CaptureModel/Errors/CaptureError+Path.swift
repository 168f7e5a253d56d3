extension CaptureError {
  /// Returns the same error with `path` before the field that its details name. Where they name none, they name `path`.
  public func below(_ path: String) -> CaptureError {
    guard var details else { return self }
    details.field = details.field.map { "\(path).\($0)" } ?? path
    return with(details)
  }

  /// Returns the same error; its details name `field` in place of their own.
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
