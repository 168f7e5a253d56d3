import CaptureModel

/// The settings from which searches begin and to which they return, and the delays that they learn.
extension SoftwareLoop {
  /// The settings where a search began. The search returns to them when it finds nothing.
  struct Origin: Sendable {
    /// `nil`: nobody knows them.
    var change: SettingsChange?
    /// Whether the search has set something since.
    var searchHasMovedAway = false

    /// The settings that are set back if the search finds nothing; empty while it has set nothing.
    var left: SettingsChange { searchHasMovedAway ? change ?? SettingsChange() : SettingsChange() }
  }

  /// The reasons why modes found nothing.
  struct Failures: Hashable, Sendable {
    var focus: String?
    var exposure: String?
    var whiteBalance: String?
  }

  /// The number of frames after which pictures showed a setting.
  package struct ObservedDelay: Hashable, Sendable {
    package var setting: Setting
    package var frames: Int
  }

  /// Lets searches that have set nothing yet begin from the present settings, not from those of the latest frame.
  mutating func beginFromPresent() {
    guard let present = settings else { return }
    let known = actuators.known(present)
    if let position = known.lensPosition { threeA.focus?.begin(at: position) }
    if let exposure = known.exposure { threeA.exposure?.begin(with: exposure) }
    if let balance = known.whiteBalance { threeA.whiteBalance?.begin(with: balance) }
    if !exposureOrigin.searchHasMovedAway {
      exposureOrigin.change = known.exposure.map { _ in exposure(of: present) }
    }
    if !balanceOrigin.searchHasMovedAway {
      balanceOrigin.change = known.whiteBalance.map { balance in
        var change = SettingsChange()
        change.whiteBalance.colour = .init(balance)
        let temperature = present.whiteBalance?.temperature
        change.whiteBalance.temperatureTellsLight = temperature.map { $0.provenance != .derived } ?? false
        return change
      }
    }
  }

  /// The change that sets the exposure of these settings.
  private func exposure(of settings: CameraSettings) -> SettingsChange {
    var change = SettingsChange()
    // A value that cannot be set is reported too.
    let settable = actuators.camera.exposure
    if settable?.duration != nil { change.exposure.duration = settings.exposure?.duration?.value }
    if settable?.gain != nil { change.exposure.gain = settings.exposure?.gain?.value }
    return change
  }

  /// The origin of a search that begins, or goes on, while the camera has an exposure to get back. Values that are not owed are the present ones.
  func origin(owing owed: SettingsChange.Exposure) -> Origin {
    var change = settings.map(exposure(of:)) ?? SettingsChange()
    change.exposure.duration = owed.duration ?? change.exposure.duration
    change.exposure.gain = owed.gain ?? change.exposure.gain
    change.exposure.mode = owed.mode
    return Origin(change: change, searchHasMovedAway: true)
  }

  /// Observed delays are cut to this many frames: no step shows later.
  private static let mostDelay = 12

  /// The delays that the latest frame showed, of controls that no calibration measured.
  mutating func takeDelays() -> [ObservedDelay] {
    var delays: [ObservedDelay] = []
    // A step shows when the last of its settings does.
    func add(_ settings: [Setting], _ late: Int) {
      guard let known = settings.compactMap({ actuators.delay(of: $0)?.frames }).max() else { return }
      let seen = min(max(known + late, 0), Self.mostDelay)
      for setting in settings where actuators.delay(of: setting)?.provenance != .calibrated {
        delays.append(ObservedDelay(setting: setting, frames: seen))
      }
    }
    if let seen = threeA.exposure?.takeObservation() {
      add((seen.isOfDuration ? [.exposureDuration] : []) + (seen.isOfGain ? [.gain] : []), seen.late)
    }
    if let late = threeA.whiteBalance?.takeObservation() { add(actuators.balanceSettings, late) }
    for late in threeA.focus?.takeObservations() ?? [] { add([.lensPosition], late) }
    return delays
  }
}
