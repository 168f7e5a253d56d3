import CaptureModel

// The form in which named sessions are kept on disk.
extension SessionConfiguration: Codable {
  private enum Key: String, CodingKey { case inputs, outputs, connections, preset }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let name = try keys.decode(String.self, forKey: .preset)
    guard let preset = SessionPreset(name: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .preset, in: keys, debugDescription: "'\(name)' is no preset")
    }
    self.init(
      inputs: try keys.decode([Input].self, forKey: .inputs),
      outputs: try keys.decode([Output].self, forKey: .outputs),
      connections: try keys.decode([SessionConnection].self, forKey: .connections), preset: preset)
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(inputs, forKey: .inputs)
    try keys.encode(outputs, forKey: .outputs)
    try keys.encode(connections, forKey: .connections)
    try keys.encode(preset.name, forKey: .preset)
  }
}

extension SessionConfiguration.Input: Codable {
  private enum Key: String, CodingKey { case camera, format }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      camera: try keys.decode(String.self, forKey: .camera),
      format: try keys.decodeIfPresent(ActiveFormat.self, forKey: .format))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(camera, forKey: .camera)
    try keys.encodeIfPresent(format, forKey: .format)
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
