package import CaptureModel

extension StoreMode: NumberedOnWire {
  package typealias Model = PhotoStoring

  /// `nil`: the photo is not kept. Throws `invalidArgument`, which names `field`, for a mode that this version does not know.
  package func model(_ field: String) throws(CaptureError) -> PhotoStoring? {
    guard self == .unspecified || known != nil else {
      throw CaptureError(
        .invalidArgument, "the node knows no store mode \(rawValue)",
        .init(.valueNotPossible, field: field, asked: .number(Double(rawValue)), possible: ["ALSO", "ONLY"]))
    }
    return known
  }
}
