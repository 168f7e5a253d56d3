import CaptureEngine
import CaptureModel

/// The state of all cameras and sessions, as the node's state file has it.
public struct NodeMemory: Hashable, Sendable {
  /// The version of the file's format.
  public static let version = 1

  public var cameras: [CameraID: CameraMemory] = [:]
  /// The named sessions.
  public var sessions: [String: SessionMemory] = [:]
  /// The jobs, by name.
  public var jobs: [String: JobMemory] = [:]

  public init() {}

  /// The file was written by a newer node, and may have things in it that this node does not know.
  public struct NewerVersion: Error, Hashable, Sendable {
    public let version: Int
  }
}

extension NodeMemory: Codable {
  private enum Key: String, CodingKey { case version, cameras, sessions, jobs }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let version = try keys.decode(Int.self, forKey: .version)
    if version > Self.version { throw NewerVersion(version: version) }
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: keys,
        debugDescription: "is of version \(version); this program reads version \(Self.version)")
    }
    let byID = try keys.decode([String: CameraMemory].self, forKey: .cameras)
    cameras = Dictionary(uniqueKeysWithValues: byID.map { (CameraID(rawValue: $0), $1) })
    sessions = try keys.decodeIfPresent([String: SessionMemory].self, forKey: .sessions) ?? [:]
    jobs = try keys.decodeIfPresent([String: JobMemory].self, forKey: .jobs) ?? [:]
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(Self.version, forKey: .version)
    let byID = Dictionary(uniqueKeysWithValues: cameras.map { ($0.rawValue, $1) })
    try keys.encode(byID, forKey: .cameras)
    if !sessions.isEmpty { try keys.encode(sessions, forKey: .sessions) }
    if !jobs.isEmpty { try keys.encode(jobs, forKey: .jobs) }
  }
}

extension CameraMemory: Codable {
  private enum Key: String, CodingKey {
    case controls, gainsWereSetLast, software, exposureMode, zoom, flash, lamp, frameDuration, input, delays
    case profiles
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    let keys = try decoder.container(keyedBy: Key.self)
    controls = try keys.decodeIfPresent(ControlMemory.self, forKey: .controls) ?? controls
    gainsWereSetLast = try keys.decodeIfPresent(Bool.self, forKey: .gainsWereSetLast)
    software = try keys.decodeIfPresent(SoftwareMemory.self, forKey: .software)
    exposureMode = try keys.decodeIfPresent(String.self, forKey: .exposureMode).flatMap {
      ExposureMode(rawValue: $0)
    }
    zoom = try keys.decodeIfPresent(Double.self, forKey: .zoom)
    flash = try keys.decodeIfPresent(String.self, forKey: .flash).flatMap(LightMode.init(rawValue:))
    lamp = try keys.decodeIfPresent(LampMemory.self, forKey: .lamp)
    frameDuration = try keys.decodeIfPresent(SettingsChange.FrameDuration.self, forKey: .frameDuration)
    input = try keys.decodeIfPresent(InputMemory.self, forKey: .input)
    profiles = try keys.decodeIfPresent([String: CameraProfile].self, forKey: .profiles) ?? profiles
    for (text, delay) in try keys.decodeIfPresent([String: MeasuredDelay].self, forKey: .delays) ?? [:] {
      guard let id = ControlID(hexadecimal: text), 0...1000 ~= delay.frames else {
        throw DecodingError.dataCorruptedError(
          forKey: .delays, in: keys, debugDescription: "'\(text)' is no control's delay")
      }
      delays[id] = delay
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    if !controls.isEmpty { try keys.encode(controls, forKey: .controls) }
    try keys.encodeIfPresent(gainsWereSetLast, forKey: .gainsWereSetLast)
    try keys.encodeIfPresent(software, forKey: .software)
    try keys.encodeIfPresent(exposureMode?.rawValue, forKey: .exposureMode)
    try keys.encodeIfPresent(zoom, forKey: .zoom)
    try keys.encodeIfPresent(flash?.rawValue, forKey: .flash)
    try keys.encodeIfPresent(lamp, forKey: .lamp)
    try keys.encodeIfPresent(frameDuration, forKey: .frameDuration)
    try keys.encodeIfPresent(input, forKey: .input)
    if !profiles.isEmpty { try keys.encode(profiles, forKey: .profiles) }
    if !delays.isEmpty {
      let byID = Dictionary(uniqueKeysWithValues: delays.map { ($0.description, $1) })
      try keys.encode(byID, forKey: .delays)
    }
  }
}

extension ControlMemory: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Entry].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(entries)
  }
}

extension ControlMemory.Entry: Codable {
  private enum Key: String, CodingKey { case id, name, isSwitch = "switch", value }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    guard let id = ControlID(hexadecimal: try keys.decode(String.self, forKey: .id)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .id, in: keys, debugDescription: "is a number like 0x980900")
    }
    self.init(
      id: id, name: try keys.decode(String.self, forKey: .name),
      isSwitch: try keys.decodeIfPresent(Bool.self, forKey: .isSwitch) ?? false,
      value: try keys.decode(ControlValue.self, forKey: .value))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(id.description, forKey: .id)
    try keys.encode(name, forKey: .name)
    if isSwitch { try keys.encode(true, forKey: .isSwitch) }
    try keys.encode(value, forKey: .value)
  }
}

/// The JSON form of a value: a number, a text, a list of numbers, or an object with the bytes of a compound control.
extension ControlValue: Codable {
  private enum Key: String, CodingKey { case bytes }

  public init(from decoder: any Decoder) throws {
    if let keys = try? decoder.container(keyedBy: Key.self) {
      self = .raw(try keys.decode([UInt8].self, forKey: .bytes))
      return
    }
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let numbers = try? container.decode([Int64].self) {
      self = .integers(numbers)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if case .raw(let bytes) = self {
      var keys = encoder.container(keyedBy: Key.self)
      return try keys.encode(bytes, forKey: .bytes)
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .integers(let numbers): try container.encode(numbers)
    case .raw: break
    }
  }
}

extension ControlID {
  /// "0x980900"
  fileprivate init?(hexadecimal text: String) {
    guard text.hasPrefix("0x"), let number = UInt32(text.dropFirst(2), radix: 16) else { return nil }
    self.init(rawValue: number)
  }
}
