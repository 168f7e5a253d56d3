import CaptureModel

extension CameraSettings {
  /// Settings that are not the same in another state.
  func differences(from other: CameraSettings) -> Set<SettingsKey> {
    var keys: Set<SettingsKey> = []
    // A change is of few groups as a rule.
    for group in Self.groups where !group.isSame(self, other) {
      for setting in group.settings where !isSame(setting, as: other) { keys.insert(.setting(setting)) }
    }
    return keys
  }

  private struct Group: Sendable {
    var settings: [Setting]
    var isSame: @Sendable (CameraSettings, CameraSettings) -> Bool

    init(_ name: String, _ isSame: @escaping @Sendable (CameraSettings, CameraSettings) -> Bool) {
      settings = Setting.allCases.filter { $0.group == name }
      self.isSame = isSame
    }
  }

  private static let groups = [
    Group("focus") { $0.focus == $1.focus },
    Group("exposure") { $0.exposure == $1.exposure },
    Group("white_balance") { $0.whiteBalance == $1.whiteBalance },
    Group("zoom") { $0.zoom == $1.zoom },
    Group("torch") { $0.torch == $1.torch },
    Group("flash") { $0.flash == $1.flash },
    Group("frame_duration") { $0.frameDuration == $1.frameDuration },
  ]
}
