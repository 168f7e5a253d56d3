import CaptureControls
import CaptureModel

/// Does from pictures what a camera's driver cannot: focuses, exposes, balances. One per camera, attached to its device
/// (``DeviceSettings/attach(_:)``); without one a camera has its driver's modes alone.
///
/// It moves the camera with ``DeviceSettings/actuate(_:)``, and sees the frames of every stream but those that are made for a photo that does not wait
/// for it: such a stream is over before anything is found.
package protocol SoftwareControl: FrameConsumer {
  /// What it adds to a camera whose driver can do `camera`.
  func abilities(beside camera: SettingsDescription) -> SoftwareAbilities
  /// What of ``abilities(beside:)`` changes with what it is asked for.
  var kept: SoftwareAbilities.Kept { get }
  /// Begins, changes or lets go; returns what undoes that. Called before the driver is told its part of the same change, in the turn of those that
  /// change settings: it must not call ``DeviceSettings/actuate(_:)`` before it returns.
  func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest
  /// Adds what it does and finds: modes, points, `isAdjusting`, `isSoftware`, target offset. Must not block.
  func report(into settings: inout CameraSettings)
  /// Somebody watches how far the exposure is off its target: that is measured and reported, whoever exposes.
  func meter(_ isWatched: Bool)
  /// Whether a frame with these settings shows what the modes found: none of them searches, and what they set last is in the frame. `nil`: of a frame
  /// of which nothing is known. Asked on the capture queue: must not block.
  func isSettled(_ settings: FrameSettings?) -> Bool
  /// Frames of the stream that its modes have judged; `nil`: none of these is on.
  var judged: Int? { get }
  /// Light, colour and sharpness of a frame. Takes milliseconds. Throws `dataLoss` for one that is damaged, anything else where such frames cannot be measured.
  func measure(_ frame: Frame) throws(CaptureError) -> FrameStatistics
  /// Whether a frame's scene is so dark that a lamp helps; `nil`: it cannot be measured.
  func isDark(_ frame: Frame, takenWith settings: FrameSettings?) -> Bool?
}
