/// How many pictures one answer of a library's list has.
package enum PageSize {
  package static let possible = 1...NodeLimit.assetsPerPage.usual
  package static let usual = 100

  /// Throws `invalidArgument` for a size that no page has.
  package static func validate(_ size: Int) throws(CaptureError) {
    if possible.contains(size) { return }
    let isTooLarge = size > possible.upperBound
    var details = isTooLarge ? NodeLimit.assetsPerPage.details() : .init(.valueOutOfRange)
    (details.field, details.asked) = ("page_size", .number(Double(size)))
    details.range = .init(Double(possible.lowerBound), Double(possible.upperBound))
    let name = isTooLarge ? " (\(NodeLimit.assetsPerPage.rawValue))" : ""
    throw CaptureError(
      .invalidArgument,
      "a page of \(size) assets is not possible; it has \(possible.lowerBound) to \(possible.upperBound)\(name)",
      details)
  }
}
