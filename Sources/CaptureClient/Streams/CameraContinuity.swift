internal import CaptureModel
internal import CaptureWire

/// Whether a camera was there without a break, and kept its settings, as a node reports it with a frame or with a settings event.
struct CameraContinuity: Sendable {
  /// How long the camera was away before the frame or the event; `nil`: it was not away.
  var away: Duration?
  /// How often the node has restored the camera's settings since it started.
  var restorations: UInt32
  /// Why the camera was away, for a person.
  var reason: String

  init(_ message: VideoFrame) {
    away = message.awayNs == 0 ? nil : .nanoseconds(message.awayNs)
    (restorations, reason) = (message.restorations, message.reason)
  }

  init(_ event: CaptureModel.SettingsEvent) {
    (away, restorations) = (event.away, event.restorations)
    reason = "the camera was unplugged, or its driver did not answer"
  }
}
