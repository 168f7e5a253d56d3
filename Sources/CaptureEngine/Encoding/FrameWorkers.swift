import CaptureModel

/// The threads that make pictures of a stream's frames. The pixel format of each frame decides which threads take it, since the stream may go on in
/// another format.
struct FrameWorkers: Sendable {
  private let shared: EncoderWorkers
  private let own: EncoderWorkers
  private let imaging: Imaging

  /// `shared`: the workers of all cameras.
  init(_ shared: EncoderWorkers, _ imaging: Imaging) {
    (self.shared, self.imaging) = (shared, imaging)
    own = shared.separateThread()
  }

  /// Returns the workers for a frame (``EncoderWorkers/forFrames(_:_:own:)``).
  func forFrame(_ taken: TakenFrame) -> EncoderWorkers {
    shared.forFrames(taken.frame.format.pixelFormat, imaging, own: own)
  }

  /// As ``EncoderWorkers/renditionBegan()``.
  func renditionBegan() {
    shared.renditionBegan()
    own.renditionBegan()
  }

  /// As ``EncoderWorkers/renditionEnded()``.
  func renditionEnded() {
    shared.renditionEnded()
    own.renditionEnded()
  }
}
