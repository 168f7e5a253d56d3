import CaptureModel

/// Keeps a stream running for a photo, from its first frame to its last, whoever else comes and goes.
final class StreamKeeper: FrameConsumer {
  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { false }
  func take(_ frame: TakenFrame) -> NextFrame { .stay }
  func streamEvent(_ event: StreamEvent) {}
}
