/// An interval is stored as a text: "1/30".
extension FrameInterval: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = UInt32(parts[0]), let denominator = UInt32(parts[1]),
      let interval = FrameInterval(numerator: numerator, denominator: denominator)
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is no duration: it is a part of a second like 1/30")
    }
    self = interval
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("\(numerator)/\(denominator)")
  }
}
