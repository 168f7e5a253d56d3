import CaptureModel

// Where the pictures of a named session go, as that is kept on disk.
extension SessionConfiguration.Output: Codable {
  private enum Key: String, CodingKey { case name, kind }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      name: try keys.decode(String.self, forKey: .name), kind: try keys.decode(Kind.self, forKey: .kind))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(name, forKey: .name)
    try keys.encode(kind, forKey: .kind)
  }
}

extension SessionConfiguration.Output.Kind: Codable {}

extension SessionConnection: Codable {
  private enum Key: String, CodingKey {
    case camera, output, orientation, isMirrored, isEnabled, cropFactor
  }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      camera: try keys.decode(String.self, forKey: .camera),
      output: try keys.decode(String.self, forKey: .output),
      orientation: try keys.decode(Int.self, forKey: .orientation),
      isMirrored: try keys.decode(Bool.self, forKey: .isMirrored),
      isEnabled: try keys.decode(Bool.self, forKey: .isEnabled),
      cropFactor: try keys.decode(Double.self, forKey: .cropFactor))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(camera, forKey: .camera)
    try keys.encode(output, forKey: .output)
    try keys.encode(orientation, forKey: .orientation)
    try keys.encode(isMirrored, forKey: .isMirrored)
    try keys.encode(isEnabled, forKey: .isEnabled)
    try keys.encode(cropFactor, forKey: .cropFactor)
  }
}
