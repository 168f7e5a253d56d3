extension Payload: Equatable {
  /// The same bytes, however they are cut into segments.
  public static func == (left: Payload, right: Payload) -> Bool {
    left === right || (left.count == right.count && left.bytes == right.bytes)
  }
}
