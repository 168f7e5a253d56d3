import CaptureClient
import CaptureOptions

/// The options of a photo's request, not of its picture.
extension Options {
  static let requestID = Option(
    "request-id", .requestID,
    help:
      "A name for this request. For 60 seconds the same name again, also from another connection, gives the same photo, and takes none anew: for scripts "
      + "that try again.")
  static let photoDryRun = Flag(
    "dry-run",
    help:
      "Take no photo and start no camera; show how the photo would be made, or why it is impossible."
  )
}

extension ValueType where Value == String {
  fileprivate static let requestID = ValueType(
    "ID", expectation: "1 to \(PhotoRequest.longestID) bytes"
  ) { text in
    1...PhotoRequest.longestID ~= text.utf8.count ? text : nil
  }
}
