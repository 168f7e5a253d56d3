/// Who decides a setting (`AVCaptureFocusMode`, `AVCaptureExposureMode`, `AVCaptureWhiteBalanceMode`).
public enum AutomaticMode: Sendable {
  /// As it is.
  case locked
  /// Found once, then locked.
  case auto
  /// Found, and found again whenever the scene changes.
  case continuous
}
