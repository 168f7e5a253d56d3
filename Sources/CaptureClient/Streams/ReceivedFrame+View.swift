public import CaptureModel

extension ReceivedFrame {
  /// Describes this frame in a view, to find the place of the sensor's frame at which somebody points: a point of interest for focus or exposure
  /// (`AVCaptureVideoPreviewLayer.captureDevicePointConverted(fromLayerPoint:)`).
  ///
  /// Zoom and the transform of the frame's connection are taken into account: the frame states them. Throws `invalidArgument` for a view without an
  /// area.
  public func view(in size: ViewSize, gravity: VideoGravity = .aspect) throws(CaptureError) -> PictureView {
    try PictureView(of: info.size, transform: info.view, in: size, gravity: gravity)
  }
}
