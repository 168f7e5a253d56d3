import CaptureModel

/// The parts of a change that searches set: the lens position, the duration and the gain, and the white balance. A mode in such a change is one of
/// the camera's own automatic modes, which the camera gets back. Then only the values that the mode leaves free are set.
extension SettingsChange {
  static let searchedGroups = [SettingGroup.focus, .exposure, .whiteBalance]

  /// The groups of which the change sets something. Only groups that searches set count.
  var groups: [SettingGroup] { Self.searchedGroups.filter { !part($0).isEmpty } }

  /// The part of the change that belongs to a group; empty for a group that searches do not set.
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

  /// Removes the part of the change that belongs to a group, if searches set that group.
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
    focus.mode = newer.focus.mode ?? focus.mode
    focus.lensPosition = newer.focus.lensPosition ?? focus.lensPosition
    exposure.mode = newer.exposure.mode ?? exposure.mode
    exposure.duration = newer.exposure.duration ?? exposure.duration
    exposure.gain = newer.exposure.gain ?? exposure.gain
    let mode = newer.whiteBalance.mode ?? whiteBalance.mode
    if newer.whiteBalance.colour != nil { whiteBalance = newer.whiteBalance }
    whiteBalance.mode = mode
    torch = newer.torch ?? torch
  }

  /// Whether the camera gets automatic modes of its own back.
  package var hasModes: Bool { modes != SettingsChange() }

  /// The change without its values: only the automatic modes that the camera gets back.
  package var modes: SettingsChange {
    var modes = SettingsChange()
    (modes.focus.mode, modes.exposure.mode) = (focus.mode, exposure.mode)
    modes.whiteBalance.mode = whiteBalance.mode
    return modes
  }

  /// Takes out the automatic modes.
  mutating func dropModes() { (focus.mode, exposure.mode, whiteBalance.mode) = (nil, nil, nil) }

  /// A change for each mode, followed by one for each setting that a search sets, with the mode of its group. The gains of red and blue stay
  /// together.
  var singles: [SettingsChange] {
    let modes = modes
    var singles = modes.groups.map { modes.part($0) }
    func append(_ set: (inout SettingsChange) -> Void) {
      var change = SettingsChange()
      set(&change)
      if change.focus != .init() { change.focus.mode = focus.mode }
      if change.exposure != .init() { change.exposure.mode = exposure.mode }
      singles.append(change)
    }
    if let position = focus.lensPosition { append { $0.focus.lensPosition = position } }
    if let duration = exposure.duration { append { $0.exposure.duration = duration } }
    if let gain = exposure.gain { append { $0.exposure.gain = gain } }
    if whiteBalance.colour != nil { append { $0.whiteBalance = whiteBalance } }
    return singles
  }

  /// The settings that the change sets and that searches can set. A mode alone counts as all settings that it would find.
  package var searchedSettings: [Setting] {
    var settings: [Setting] = []
    let isExposure = self == modes && exposure.mode != nil
    if focus != .init() { settings.append(.lensPosition) }
    if exposure.duration != nil || isExposure { settings.append(.exposureDuration) }
    if exposure.gain != nil || isExposure { settings.append(.gain) }
    if whiteBalance != .init() { settings += [.temperature, .whiteBalanceGains] }
    return settings
  }

  /// Removes what the driver does not know: points, the focus range and the bias.
  mutating func dropPlaces() {
    (focus.point, focus.range) = (nil, nil)
    (exposure.point, exposure.bias) = (nil, nil)
  }
}
