import CaptureModel

/// The parts of a change that searches set: the lens, the duration and the gain, and the colour of the light.
extension SettingsChange {
  static let searchedGroups = [SettingGroup.focus, .exposure, .whiteBalance]

  /// What it sets of one group that searches set.
  func part(_ group: SettingGroup) -> SettingsChange {
    var part = SettingsChange()
    switch group {
    case .focus: part.focus = focus
    case .exposure: part.exposure = exposure
    case .whiteBalance: part.whiteBalance = whiteBalance
    case .zoom, .torch, .flash, .frameDuration, .flip: break
    }
    return part
  }

  /// Takes out what it sets of a group that searches set.
  package mutating func drop(_ group: SettingGroup) {
    switch group {
    case .focus: focus = Focus()
    case .exposure: exposure = Exposure()
    case .whiteBalance: whiteBalance = WhiteBalance()
    case .zoom, .torch, .flash, .frameDuration, .flip: break
    }
  }

  /// Adds a newer change. The newest value of each setting counts.
  package mutating func add(_ newer: SettingsChange) {
    focus.lensPosition = newer.focus.lensPosition ?? focus.lensPosition
    exposure.duration = newer.exposure.duration ?? exposure.duration
    exposure.gain = newer.exposure.gain ?? exposure.gain
    if newer.whiteBalance.colour != nil { whiteBalance = newer.whiteBalance }
    torch = newer.torch ?? torch
  }

  /// A change for each setting that a search sets. The gains of the colours belong together.
  var singles: [SettingsChange] {
    var singles: [SettingsChange] = []
    func append(_ set: (inout SettingsChange) -> Void) {
      var change = SettingsChange()
      set(&change)
      singles.append(change)
    }
    if let position = focus.lensPosition { append { $0.focus.lensPosition = position } }
    if let duration = exposure.duration { append { $0.exposure.duration = duration } }
    if let gain = exposure.gain { append { $0.exposure.gain = gain } }
    if whiteBalance.colour != nil { append { $0.whiteBalance = whiteBalance } }
    return singles
  }

  /// The settings that it sets, of those that searches set.
  package var searchedSettings: [Setting] {
    var settings: [Setting] = []
    if focus.lensPosition != nil { settings.append(.lensPosition) }
    if exposure.duration != nil { settings.append(.exposureDuration) }
    if exposure.gain != nil { settings.append(.gain) }
    if whiteBalance.colour != nil { settings += [.temperature, .whiteBalanceGains] }
    return settings
  }
}
