import CaptureModel
import Synchronization

/// What a session that has a camera hears of it.
enum CameraSignal: Sendable {
  case appeared
  case vanished
  /// It gives no frames; its stream is being restarted.
  case interrupted(String)
  case resumed(String)
  /// Its stream ended by itself.
  case ended(String)
}

/// A session's having of a camera: nobody else starts its stream.
final class CameraHold: Sendable {
  /// The session's name.
  let session: String
  /// From any thread; must not block.
  let tell: @Sendable (CameraSignal) -> Void
  /// Of the format that the session names for the camera.
  private let asked = Mutex<FrameInterval?>(nil)

  init(session: String, tell: @escaping @Sendable (CameraSignal) -> Void) {
    self.session = session
    self.tell = tell
  }

  func asks(for interval: FrameInterval?) { asked.withLock { $0 = interval } }

  /// Throws `failedPrecondition` for bounds that the session's format is beyond: it could not start again.
  func check(_ durations: SettingsChange.FrameDuration, of camera: String) throws(CaptureError) {
    guard let asked = asked.withLock({ $0 }), let maximum = durations.maximum,
      maximum.rate > asked.rate * 1.005
    else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(camera) is in the session '\(session)', whose format asks for \(asked): "
        + "frames cannot be bound to \(maximum) or more; give the session another format first")
  }

  func streamTold(_ kind: CameraNotice.Kind, _ text: String) {
    switch kind {
    case .interrupted: tell(.interrupted(text))
    case .resumed: tell(.resumed(text))
    case .ended: tell(.ended(text))
    default: break
    }
  }
}
