import CaptureControls
import CaptureModel

/// Does from pictures what a camera's driver cannot: it focuses, exposes and balances. Each camera has one, attached to its device
/// (``DeviceSettings/attach(_:)``); without one it has only its driver's modes.
///
/// It moves the camera with ``DeviceSettings/applyAutomation(_:)``. It sees the frames of every stream, except those of a stream for a photo that does not wait
/// for it: such a stream ends before anything is found.
package protocol SoftwareControl: FrameConsumer {
  /// The abilities that it adds to a camera whose driver can do `camera`.
  func abilities(beside camera: SettingsDescription) -> SoftwareAbilities
  /// The part of ``abilities(beside:)`` that changes with requests.
  var kept: SoftwareAbilities.Kept { get }
  /// Begins, changes or ends modes; returns the request that undoes that. It is called before the driver gets its part of the same change, in the turn
  /// of those that change settings: it must not call ``DeviceSettings/applyAutomation(_:)`` before it returns.
  func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest
  /// Adds what it does and finds: modes, points, `isAdjusting`, `isSoftware`, the target offset. It must not block.
  func report(into settings: inout CameraSettings)
  /// Begins or ends measuring and reporting how far the exposure is off its target, whichever part exposes, because a client watches it.
  func meter(_ isWatched: Bool)
  /// Whether a frame with these settings shows what the modes found: none of them searches, and the frame has what they set last. `nil`: the frame's
  /// settings are unknown. Called on the capture queue: it must not block.
  func isSettled(_ settings: FrameSettings?) -> Bool
  /// How many frames of the stream its modes have judged; `nil`: none of them is on.
  var judged: Int? { get }
  /// Measures the light, colour and sharpness of a frame, which takes milliseconds. Throws `dataLoss` for a damaged frame, and other errors where such
  /// frames cannot be measured.
  func measure(_ frame: Frame) throws(CaptureError) -> FrameStatistics
  /// Whether a frame's scene is so dark that a lamp helps; `nil`: the frame cannot be measured.
  func isDark(_ frame: Frame, takenWith settings: FrameSettings?) -> Bool?
}
