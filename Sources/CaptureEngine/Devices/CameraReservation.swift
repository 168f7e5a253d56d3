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
  private struct State {
    var asked: Asked?
    var isSlowed = false
    /// Whether the session runs.
    var isRunning = false
    /// Why the session could not start the camera when it last tried; `nil`: it could, or has not tried.
    var failure: CaptureError?
  }
  private let state = Mutex(State())

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

  /// Notes whether the session runs.
  func setRunning(_ isRunning: Bool) { state.withLock { ($0.isRunning, $0.failure) = (isRunning, nil) } }

  /// Notes why the session, which runs, could not start the camera; `nil`: it could, or the camera has come back since.
  func setFailure(_ error: CaptureError?) { state.withLock { $0.failure = error } }

  /// Why the camera, which is there, does not stream although the session runs; `nil`: the session does not run.
  func interruption(of camera: CurrentCamera) -> CaptureError? {
    let (isRunning, failure) = state.withLock { ($0.isRunning, $0.failure) }
    guard isRunning else { return nil }
    return failure
      ?? CaptureError(
        .unavailable, "\(camera.name) is being started for the session '\(session)'; try again in a moment",
        .init(.streamEnded, holder: session, device: camera.id.rawValue))
  }

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
