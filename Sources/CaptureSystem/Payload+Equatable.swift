extension Payload: Equatable {
  /// Two payloads are equal if they have the same bytes, however those are cut into segments.
  public static func == (left: Payload, right: Payload) -> Bool {
    left === right || (left.count == right.count && left.bytes == right.bytes)
  }
}
