import CaptureEngine
import CaptureModel

/// The JSON form of a profile is an object. Older nodes wrote a list, which has only controls.
extension CameraProfile: Codable {
  private enum Key: String, CodingKey {
    case controls, exposureMode, software, zoom, torchLevel, flash, frameDuration
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    guard let keys = try? decoder.container(keyedBy: Key.self) else {
      controls = try ControlMemory(from: decoder)
      return
    }
    controls = try keys.decodeIfPresent(ControlMemory.self, forKey: .controls) ?? controls
    exposureMode = try keys.decodeIfPresent(String.self, forKey: .exposureMode).flatMap {
      ExposureMode(rawValue: $0)
    }
    software = try keys.decodeIfPresent(Software.self, forKey: .software)
    zoom = try keys.decodeIfPresent(Double.self, forKey: .zoom)
    torchLevel = try keys.decodeIfPresent(Double.self, forKey: .torchLevel)
    flash = try keys.decodeIfPresent(String.self, forKey: .flash).flatMap { LightMode(rawValue: $0) }
    frameDuration = try keys.decodeIfPresent(SettingsChange.FrameDuration.self, forKey: .frameDuration)
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    if !controls.isEmpty { try keys.encode(controls, forKey: .controls) }
    try keys.encodeIfPresent(exposureMode?.rawValue, forKey: .exposureMode)
    try keys.encodeIfPresent(software, forKey: .software)
    try keys.encodeIfPresent(zoom, forKey: .zoom)
    try keys.encodeIfPresent(torchLevel, forKey: .torchLevel)
    try keys.encodeIfPresent(flash?.rawValue, forKey: .flash)
    try keys.encodeIfPresent(frameDuration, forKey: .frameDuration)
  }
}

extension CameraProfile.Software.Focus: Codable {
  private enum Key: String, CodingKey { case isOn = "on", x, y, range }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      isOn: try keys.decode(Bool.self, forKey: .isOn),
      point: NormalizedPoint(
        clampingX: try keys.decode(Double.self, forKey: .x), y: try keys.decode(Double.self, forKey: .y)),
      range: FocusRange(rawValue: try keys.decode(String.self, forKey: .range)) ?? FocusRange.none)
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(isOn, forKey: .isOn)
    try keys.encode(point.x, forKey: .x)
    try keys.encode(point.y, forKey: .y)
    try keys.encode(range.rawValue, forKey: .range)
  }
}

extension CameraProfile.Software.Exposure: Codable {
  private enum Key: String, CodingKey { case isOn = "on", x, y, bias }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      isOn: try keys.decode(Bool.self, forKey: .isOn),
      point: NormalizedPoint(
        clampingX: try keys.decode(Double.self, forKey: .x), y: try keys.decode(Double.self, forKey: .y)),
      bias: try keys.decode(Double.self, forKey: .bias))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encode(isOn, forKey: .isOn)
    try keys.encode(point.x, forKey: .x)
    try keys.encode(point.y, forKey: .y)
    try keys.encode(bias, forKey: .bias)
  }
}

extension CameraProfile.Software: Codable {
  private enum Key: String, CodingKey { case focus, exposure, whiteBalance, torch }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    self.init(
      focus: try keys.decodeIfPresent(Focus.self, forKey: .focus),
      exposure: try keys.decodeIfPresent(Exposure.self, forKey: .exposure),
      whiteBalance: try keys.decodeIfPresent(Bool.self, forKey: .whiteBalance),
      torch: try keys.decodeIfPresent(Bool.self, forKey: .torch))
  }

  public func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Key.self)
    try keys.encodeIfPresent(focus, forKey: .focus)
    try keys.encodeIfPresent(exposure, forKey: .exposure)
    try keys.encodeIfPresent(whiteBalance, forKey: .whiteBalance)
    try keys.encodeIfPresent(torch, forKey: .torch)
  }
}
