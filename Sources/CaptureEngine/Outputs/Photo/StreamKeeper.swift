import CaptureModel

/// Keeps a stream running for a photo, from the beginning of the photo to its end, whichever other consumers come and go.
final class StreamKeeper: FrameConsumer {
  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { false }
  func take(_ frame: TakenFrame) -> NextFrame { .stay }
  func streamEvent(_ event: StreamEvent) {}
}
