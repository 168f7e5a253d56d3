/// The settings of a session's cameras, in one word. `AVCaptureSession.Preset`; docs/presets.md has the rules.
public enum SessionPreset: Hashable, Sendable, CaseIterable {
  /// The largest size.
  case photo
  /// The largest size with 25 frames a second or more.
  case high
  /// At most as many pixels as 640x480.
  case medium
  /// At most as many pixels as 320x240.
  case low
  /// That size exactly, or nothing.
  case cif352x288, vga640x480, hd1280x720, hd1920x1080
  /// That size exactly, each frame decodable by itself, 25 to 30 a second; or nothing.
  case iFrame960x540, iFrame1280x720
  /// The active format decides, or the camera's present setting.
  case inputPriority

  /// The name in command lines and documents: "high", "1280x720", "iFrame960x540".
  public var name: String {
    switch self {
    case .photo: "photo"
    case .high: "high"
    case .medium: "medium"
    case .low: "low"
    case .inputPriority: "inputPriority"
    case .iFrame960x540, .iFrame1280x720: "iFrame\(size!)"
    case .cif352x288, .vga640x480, .hd1280x720, .hd1920x1080: "\(size!)"
    }
  }

  /// Finds the preset by its name, in any case.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      return nil
    }
    self = found
  }

  /// The size of those presets that name one.
  public var size: FrameSize? {
    switch self {
    case .photo, .high, .medium, .low, .inputPriority: nil
    case .cif352x288: FrameSize(width: 352, height: 288)
    case .vga640x480: FrameSize(width: 640, height: 480)
    case .hd1280x720, .iFrame1280x720: FrameSize(width: 1280, height: 720)
    case .hd1920x1080: FrameSize(width: 1920, height: 1080)
    case .iFrame960x540: FrameSize(width: 960, height: 540)
    }
  }

  /// Whether each frame can be decoded by itself, and frames come 25 to 30 times a second.
  var isIntraCoded: Bool { self == .iFrame960x540 || self == .iFrame1280x720 }
}
