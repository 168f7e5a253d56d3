/// How a setting is controlled (`AVCaptureFocusMode`, `AVCaptureExposureMode`, `AVCaptureWhiteBalanceMode`).
public enum AutomaticMode: Sendable {
  /// The setting stays as it is.
  case locked
  /// The setting is found once, and then locked.
  case auto
  /// The setting is found, and found again whenever the scene changes.
  case continuous
}
