/// How surely it is known which frame is the first that shows a setting.
public enum DelayTrust: Hashable, Sendable {
  /// The delay was measured: each frame has the settings that it reports.
  case calibrated
  /// The delay was seen in pictures before: the frames' settings are believed, and a result is verified at rest before it is locked.
  case observed
  /// Nobody knows the delay. After each setting, frames are not judged until every camera shows it, or until a picture does.
  case unknown
}
