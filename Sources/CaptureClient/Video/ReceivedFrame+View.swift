import CaptureModel
import CaptureWire

extension ReceivedFrame {
  /// This frame shown in a view, to find the place of the sensor's frame that somebody points at: a point of interest for focus or exposure.
  ///
  /// Zoom, and what the connection that it came through did, count: the frame tells them. Throws `invalidArgument` for a view without an area.
  public func view(in size: ViewSize, gravity: VideoGravity = .aspect) throws(CaptureError) -> PictureView {
    let picture = info.size?.model ?? FrameSize(width: 0, height: 0)
    return try PictureView(of: picture, transform: info.view, in: size, gravity: gravity)
  }
}
