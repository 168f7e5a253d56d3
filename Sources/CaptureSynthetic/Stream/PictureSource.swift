import CaptureSystem

/// Makes a synthetic camera's pictures, on its capture thread.
protocol PictureSource: AnyObject {
  /// The buffers of the pictures; `nil` where each picture has memory of its own.
  var buffers: LentBuffers? { get }
  /// Whether frame 0 comes when this object is made, if that takes longer than an interval. Otherwise the frames of that time come at once.
  var startsWhenReady: Bool { get }
  /// The picture of frame `sequence`. `nil`: readers hold every buffer, or the picture cannot be made.
  func picture(_ sequence: UInt64, schedule: FrameSchedule) -> Payload?
}

extension PictureSource {
  var startsWhenReady: Bool { false }
}
