import CaptureModel

/// The threads that make pictures of a stream's frames. The stream may go on in another pixel format, so that each frame's own one decides.
struct FrameWorkers: Sendable {
  private let shared: EncoderWorkers
  private let own: EncoderWorkers
  private let imaging: Imaging

  /// `shared`: those of all cameras.
  init(_ shared: EncoderWorkers, _ imaging: Imaging) {
    (self.shared, self.imaging) = (shared, imaging)
    own = shared.separateThread()
  }

  /// Those for a frame (``EncoderWorkers/forFrames(_:_:own:)``).
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
