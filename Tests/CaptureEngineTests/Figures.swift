import Foundation

/// The long tests against the truth of the camera with physics. A sanitizer would make minutes of each and find nothing that the short
/// ones do not bring about.
enum Figures {
  /// Under a sanitizer they are left out (scripts/test).
  static let areJudged = ProcessInfo.processInfo.environment["CAPTURE_SANITIZED"] == nil
}
