// How named sessions are stored, where that is not simply by their properties.

/// A preset is stored as its name.
extension SessionPreset: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let preset = SessionPreset(name: name) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is no preset")
    }
    self = preset
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

extension ActiveFormat: Codable {
  private enum Key: String, CodingKey { case pixelFormat, size, frameDuration }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      pixelFormat: try keys.decodeIfPresent(String.self, forKey: .pixelFormat).flatMap { PixelFormat($0) },
      size: try keys.decodeIfPresent(String.self, forKey: .size).flatMap { FrameSize($0) },
      interval: try keys.decodeIfPresent(FrameInterval.self, forKey: .frameDuration))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encodeIfPresent(pixelFormat?.description, forKey: .pixelFormat)
    try keys.encodeIfPresent(size?.description, forKey: .size)
    try keys.encodeIfPresent(interval, forKey: .frameDuration)
  }
}
