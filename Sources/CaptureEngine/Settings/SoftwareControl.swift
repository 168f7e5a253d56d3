import CaptureModel

/// Does from pictures what a camera's driver cannot: focuses, exposes, balances. One per camera, attached to its controller
/// (``DeviceController/attach(_:)``); without one a camera has its driver's modes alone.
///
/// It moves the camera with ``DeviceController/actuate(_:)``, and sees the frames of every stream but those that are made for a photo alone: such
/// a stream is over before anything is found.
public protocol SoftwareControl: AnyObject, Sendable {
  /// What it adds to a camera whose driver can do `camera`.
  func abilities(beside camera: SettingsDescription) -> SoftwareAbilities
  /// What of ``abilities(beside:)`` changes with what it is asked for.
  var kept: SoftwareAbilities.Kept { get }
  /// Begins, changes or lets go; returns what undoes that. Called before the driver is told its part of the same change, in the turn of those that
  /// change settings: it must not call ``DeviceController/actuate(_:)`` before it returns.
  nonisolated(nonsending) func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest
  /// Adds what it does and finds: modes, points, `isAdjusting`, `isSoftware`, target offset. Must not block.
  func report(into settings: inout CameraSettings)
  /// Whether frames of the stream are to be shown to it. Asked on the capture queue for each frame.
  var wantsFrames: Bool { get }
  /// A frame of the stream, with what it was taken with. On the capture queue: must not block.
  func received(_ frame: Frame, takenWith settings: FrameSettings?)
  /// Somebody watches how far the exposure is off its target: that is measured and reported, whoever exposes.
  func meter(_ isWatched: Bool)
  /// Whether a frame's scene is so dark that a lamp helps; `nil`: it cannot be measured.
  func isDark(_ frame: Frame, takenWith settings: FrameSettings?) -> Bool?
  /// The camera is short of buffers: let go of the frames that wait.
  func relinquish()
}

extension DeviceController {
  /// Joins a camera and what works from its pictures, from the next stream on; `nil` ends that.
  public func attach(_ software: (any SoftwareControl)?) {
    settingsState.software = software
    softwareChanged()
  }

  /// Tells watchers what it found (`isAdjusting`, the target offset, a mode that ended), and in which frame; `nil`: in none.
  public func softwareChanged(in frame: FrameTimeline.Applied.Position? = nil) {
    // What the camera told is about to be read: all is told then, with the frame that has it.
    guard settingsState.events.isEmpty, let told = settingsState.told, let now = knownSettings() else {
      return
    }
    settingsState.told = now
    tell(
      SettingsNews(
        keys: told.differences(from: now), change: 0, frame: frame,
        provenance: frame == nil ? .reported : .calibrated))
  }

  /// As ``set(_:controls:clamping:)`` for the software itself: takes nothing away from it, and what it sets is not kept for the camera's return.
  /// `due` is asked what to set when it is its turn; if that is nothing, nothing is done.
  public func actuate(_ due: @Sendable () -> SettingsChange) async throws(CaptureError) -> SettingsOutcome? {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    var change = due()
    // A torch that follows the light sees none without a stream.
    if stream == nil, change.torch?.mode == .on { change.torch = nil }
    return change.isEmpty ? nil : try await make(change, clamping: true, isSoftware: true).outcome
  }

  /// Its modes that were on when the camera went, or the node ended, go on.
  func resumeSoftware(of camera: any Camera) async {
    guard let software = settingsState.software, let request = memory.software?.request else { return }
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    guard self.camera === camera, let known = try? await knownControls(of: camera) else { return }
    _ = abilities(known)
    _ = try? await software.set(request)
    softwareChanged()
  }

  /// What the software found is to stay, as if somebody had set it.
  public func keep(_ settings: [Setting]) async {
    await settingTurn.enterToCleanUp()
    defer { settingTurn.leave() }
    guard let known = settingsState.known else { return }
    var memory = memory
    for control in known.controls(of: Set(settings)) {
      if let number = known.numbers[control.id] { memory.controls.note(control, .integer(number)) }
    }
    self.memory = memory
  }
}

extension SettingsPlan {
  /// Some of it does something each time that it is set.
  func acts(on known: KnownControls) -> Bool {
    !buttons.isEmpty || others.contains { known[$0.id]?.keepsValue != true }
  }

  /// Whoever sets a control itself takes what it belongs to away from the software. Returns whether it is a light's mode.
  mutating func letGo(of uses: [SettingsDescription.ControlUse]) -> Bool {
    var isLight = false
    for use in uses where others.contains(where: { $0.id == use.control }) {
      switch use.setting.group {
      case "focus": software.focus = software.focus ?? .release
      case "exposure": software.exposure = software.exposure ?? .release
      case "white_balance": software.whiteBalance = software.whiteBalance ?? .release
      default: break
      }
      guard use.setting == .torchMode || use.setting == .flashMode else { continue }
      software.torch = software.torch ?? false
      isLight = true
    }
    return isLight
  }
}

extension SoftwareRequest {
  /// Values that the software finds from here on: what was set of them before does not come back.
  var takenOver: Set<Setting> {
    var settings: Set<Setting> = []
    if focus?.mode != nil { settings.insert(.lensPosition) }
    if exposure?.mode != nil { settings.formUnion([.exposureDuration, .gain]) }
    if let whiteBalance, whiteBalance.mode != nil || whiteBalance.isGreyWorld {
      settings.formUnion([.temperature, .whiteBalanceGains])
    }
    return settings
  }
}
