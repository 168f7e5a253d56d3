import CaptureModel
import CaptureWire

extension ReceivedFrame {
  /// Describes this frame in a view, to find the place of the sensor's frame at which somebody points: a point of interest for focus or exposure.
  ///
  /// Zoom and the transform of the frame's connection are taken into account: the frame states them. Throws `invalidArgument` for a view without an
  /// area.
  public func view(in size: ViewSize, gravity: CaptureModel.VideoGravity = .aspect) throws(CaptureError)
    -> PictureView
  {
    let picture = info.size?.model ?? FrameSize(width: 0, height: 0)
    return try PictureView(of: picture, transform: info.view, in: size, gravity: gravity)
  }
}
