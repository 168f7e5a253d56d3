import CaptureSystem

/// Makes a synthetic camera's pictures, on its capture queue.
protocol PictureSource: AnyObject {
  /// What the pictures lie in; `nil` where each has memory of its own.
  var buffers: LentBuffers? { get }
  /// Frame 0 comes when this object is made, where that takes longer than an interval: else the frames of that time come at once.
  var startsWhenReady: Bool { get }
  /// The picture of frame `sequence`. `nil`: readers hold every buffer, or it cannot be made.
  func picture(_ sequence: UInt64, schedule: FrameSchedule) -> Payload?
}

extension PictureSource {
  var startsWhenReady: Bool { false }
}
