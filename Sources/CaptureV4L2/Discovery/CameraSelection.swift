import CaptureModel

/// Which cameras a provider offers.
public enum CameraSelection: Sendable {
  /// Every capture device.
  case all
  /// Only these: paths ("/dev/video0", or a link to one), identities, and unique parts of identities.
  case only([String])
}

extension CameraSelection {
  /// Whether `specification` means this camera.
  static func matches(_ specification: String, path: String, id: CameraID) -> Bool {
    if specification.hasPrefix("/") {
      return specification == path || resolved(specification) == resolved(path)
    }
    return specification == id.rawValue || id.rawValue.contains(specification)
  }
}
