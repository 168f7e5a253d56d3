/// What a device captures, and what comes at an output (`AVMediaType`).
public enum MediaType: String, Hashable, Sendable, CaseIterable {
  /// Pictures.
  case video
  /// Sound. No camera gives any; it is there for later devices.
  case audio
}
