/// How surely it is known from which frame on a camera's pictures show a setting.
public enum DelayTrust: Hashable, Sendable {
  /// Measured: each frame has the settings that are told of it.
  case calibrated
  /// Seen in pictures before: frames are believed, and what was found is verified at rest before it is locked.
  case observed
  /// Nobody knows. After each setting frames pass by until every camera shows it, unless the picture shows it before.
  case unknown
}
