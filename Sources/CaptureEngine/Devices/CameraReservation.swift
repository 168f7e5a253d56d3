import CaptureModel
import Synchronization

/// A session's right to a camera: nobody else starts its stream.
final class CameraReservation: Sendable {
  /// The session's name.
  let session: String
  /// Tells the session what happens to the camera. It is called from any thread, and must not block.
  let report: @Sendable (CameraNotice.Kind, String) -> Void
  /// The format that the session asks of the camera.
  struct Asked: Hashable, Sendable {
    var preset: SessionPreset
    var format: ActiveFormat?
  }
  private let state = Mutex<(asked: Asked?, isSlowed: Bool)>((nil, false))

  init(session: String, report: @escaping @Sendable (CameraNotice.Kind, String) -> Void) {
    self.session = session
    self.report = report
  }

  /// The preset and the format that the session asks for; `nil`: it has asked for none yet.
  var asked: Asked? { state.withLock { $0.asked } }

  /// Notes the preset and the format that the session asks for.
  func setAsked(_ preset: SessionPreset, _ format: ActiveFormat?) {
    state.withLock { $0.asked = Asked(preset: preset, format: format) }
  }

  /// Whether only the bounds of the frame duration keep the session's stream from being faster.
  var isSlowed: Bool { state.withLock { $0.isSlowed } }

  /// Notes whether only the bounds of the frame duration keep the session's stream from being faster.
  func setSlowed(_ isSlowed: Bool) { state.withLock { $0.isSlowed = isSlowed } }

  /// Throws `failedPrecondition` for bounds that exclude the session's format: the session could not start again.
  func check(_ durations: SettingsChange.FrameDuration, of camera: String) throws(CaptureError) {
    guard let asked = asked?.format?.interval, let maximum = durations.maximum,
      maximum.rate > asked.rate * 1.005
    else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(camera) is in the session '\(session)', whose format asks for \(asked): "
        + "frames cannot be bound to \(maximum) or more; give the session another format first",
      .init(
        .heldBySession, field: CaptureError.field(of: .frameDuration), asked: .text("\(maximum)"),
        possible: ["\(asked)"], holder: session))
  }
}
