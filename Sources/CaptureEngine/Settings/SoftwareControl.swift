import CaptureModel

/// Does from pictures what a camera's driver cannot: focuses, exposes, balances. One per camera, attached to its controller
/// (``DeviceController/attach(_:)``); without one a camera has its driver's modes alone.
///
/// It moves the camera with ``DeviceController/actuate(_:)``, and sees frames with their settings as any reader of the stream does.
public protocol SoftwareControl: AnyObject, Sendable {
  /// What it adds to a camera whose driver can do `camera`.
  func abilities(beside camera: SettingsDescription) -> SoftwareAbilities
  /// Begins, changes or lets go; returns what undoes that. Called before the driver is told its part of the same change, in the turn of those that
  /// change settings: it must not call ``DeviceController/actuate(_:)`` before it returns.
  func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest
  /// Adds what it does and finds: modes, points, `isAdjusting`, `isSoftware`, target offset. Must not block.
  func report(into settings: inout CameraSettings)
}

extension DeviceController {
  /// Joins a camera and what works from its pictures; `nil` ends that.
  public func attach(_ software: (any SoftwareControl)?) {
    settingsState.software = software
    softwareChanged()
  }

  /// Tells watchers what it found (`isAdjusting`, the target offset, a mode that ended).
  public func softwareChanged() {
    guard let told = settingsState.told, let now = knownSettings() else { return }
    settingsState.told = now
    tell(SettingsNews(keys: told.differences(from: now), change: 0, frame: nil, provenance: .reported))
  }

  /// As ``set(_:controls:clamping:)`` for the software itself: takes nothing away from it, and what it sets is not kept for the camera's return.
  public func actuate(_ change: SettingsChange) async throws(CaptureError) -> SettingsOutcome {
    try await set(change, clamping: true, isSoftware: true)
  }
}
