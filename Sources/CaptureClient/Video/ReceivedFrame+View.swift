import CaptureModel
import CaptureWire

extension ReceivedFrame {
  /// This frame shown in a view, to find the place of the sensor's frame that somebody points at: a point of interest for focus or exposure.
  ///
  /// `transform`: that of the connection it came through. The zoom that the frame was taken with counts by itself, as the frame tells it. Throws
  /// `invalidArgument` for a view without an area.
  public func view(
    in size: ViewSize, gravity: VideoGravity = .aspect, transform: PictureTransform = .identity
  ) throws(CaptureError) -> PictureView {
    let picture = info.size?.model ?? FrameSize(width: 0, height: 0)
    let factor = info.settings?.zoomFactor.flatMap { $0.provenance == .unknown ? nil : $0.value } ?? 1
    return try PictureView(
      of: picture, transform: PictureTransform.zoomed(factor).then(transform), in: size, gravity: gravity)
  }
}
