import CaptureSystem

/// Makes a synthetic camera's pictures, on its capture thread.
protocol PictureSource: AnyObject {
  /// The lent buffers in which the pictures are made; `nil` for pictures with memory of their own, such as JPEGs.
  var buffers: LentBuffers? { get }
  /// Whether frame 0 comes only once this object is made, if making it takes longer than a frame interval. Otherwise the frames that became due
  /// meanwhile come at once.
  var startsWhenReady: Bool { get }
  /// The picture of frame `sequence`. `nil`: readers hold every buffer, or the picture cannot be made.
  func picture(_ sequence: UInt64, schedule: FrameSchedule) -> Payload?
}

extension PictureSource {
  var startsWhenReady: Bool { false }
}
