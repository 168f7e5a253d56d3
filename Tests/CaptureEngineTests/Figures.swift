import Foundation

/// The long tests against the truth of the camera with physics. A sanitizer would make minutes of each and find nothing that the short
/// ones do not bring about.
enum Figures {
  /// Sanitized builds, which are chosen by `CAPTURE_TESTS` (Package.swift), leave them out.
  static let areJudged = ProcessInfo.processInfo.environment["CAPTURE_TESTS"] == nil
}
