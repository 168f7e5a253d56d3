import CaptureSystem

/// Makes a synthetic camera's pictures, on its capture queue.
protocol PictureSource: AnyObject {
  /// What the pictures lie in; `nil` where each has memory of its own.
  var buffers: LentBuffers? { get }
  /// The picture of frame `sequence`, in time or late. `nil`: readers hold every buffer, or it cannot be made.
  func picture(_ sequence: UInt64, schedule: FrameSchedule, isLate: Bool) -> Payload?
}
