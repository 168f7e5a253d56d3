import CaptureModel

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

  init(session: String, tell: @escaping @Sendable (CameraSignal) -> Void) {
    self.session = session
    self.tell = tell
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
