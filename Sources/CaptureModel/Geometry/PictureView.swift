/// Converts between places in a view that shows a delivered picture and places of the sensor's frame (`AVCaptureVideoPreviewLayer`'s conversions).
///
///     let view = try PictureView(of: frame.size, transform: connection, in: ViewSize(width: 400, height: 300), gravity: .fill)
///     if let point = view.devicePoint(forViewPoint: tap) { /* focus there */ }
public struct PictureView: Hashable, Sendable {
  /// The steps from the sensor's frame to the picture.
  public let transform: PictureTransform
  /// How the picture fills the view.
  public let gravity: VideoGravity
  /// The view's size.
  public let size: ViewSize
  /// Where the whole picture lies in the view. With ``VideoGravity/fill`` it is larger than the view.
  public let pictureRect: ViewRect

  /// `picture`: the size of the delivered picture.
  ///
  /// Throws `invalidArgument` for a picture or a view without an area.
  public init(
    of picture: FrameSize, transform: PictureTransform = .identity, in size: ViewSize,
    gravity: VideoGravity = .aspect
  ) throws(CaptureError) {
    guard (1e-6...1e6).contains(size.width), (1e-6...1e6).contains(size.height) else {
      throw CaptureError(
        .invalidArgument,
        "a view of \(size.width)x\(size.height) is not possible; both sides are above 0, and at most a million",
        .init(
          .valueOutOfRange, field: (1e-6...1e6).contains(size.width) ? "view_height" : "view_width",
          asked: .text("\(size.width)x\(size.height)"), range: .init(1e-6, 1e6)))
    }
    guard picture.width > 0, picture.height > 0 else {
      throw CaptureError(
        .invalidArgument, "a picture of \(picture) shows nothing; both sides must be above 0",
        .init(.valueOutOfRange, field: "picture", asked: .text("\(picture)")))
    }
    (self.transform, self.size, self.gravity) = (transform, size, gravity)
    pictureRect = gravity.rect(of: picture, in: size)
  }

  /// Where the view shows a place of the sensor's frame; `nil` where the picture was cropped so that it lacks the place
  /// (`layerPointConverted(fromCaptureDevicePoint:)`). With ``VideoGravity/fill`` the point may lie outside the view.
  public func viewPoint(forDevicePoint point: NormalizedPoint) -> ViewPoint? {
    transform.picturePoint(forDevicePoint: point).map(viewPoint)
  }

  /// The place of the sensor's frame that is shown at `point`; `nil` beside the picture and outside the view
  /// (`captureDevicePointConverted(fromLayerPoint:)`).
  public func devicePoint(forViewPoint point: ViewPoint) -> NormalizedPoint? {
    guard (0...size.width).contains(point.x), (0...size.height).contains(point.y) else { return nil }
    let (x, y) = (
      (point.x - pictureRect.x) / pictureRect.width, (point.y - pictureRect.y) / pictureRect.height
    )
    // Without this margin, rounding would push the picture's own edge out of the picture.
    guard (-1e-9...1 + 1e-9).contains(x), (-1e-9...1 + 1e-9).contains(y) else { return nil }
    return transform.devicePoint(forPicturePoint: NormalizedPoint(clampingX: x, y: y))
  }

  /// Where the view shows a rectangle of the sensor's frame, as far as the picture contains it; `nil`: the picture contains nothing of it
  /// (`layerRectConverted(fromMetadataOutputRect:)`). With ``VideoGravity/fill`` it may reach outside the view.
  public func viewRect(forDeviceRect rect: NormalizedRect) -> ViewRect? {
    guard let picture = transform.pictureRect(forDeviceRect: rect) else { return nil }
    let origin = viewPoint(picture.topLeft)
    return ViewRect(
      x: origin.x, y: origin.y, width: picture.width * pictureRect.width,
      height: picture.height * pictureRect.height)
  }

  /// The part of the sensor's frame that is shown in a part of the view; `nil` where none is (`metadataOutputRectConverted(fromLayerRect:)`).
  public func deviceRect(forViewRect rect: ViewRect) -> NormalizedRect? {
    let (left, right) = (max(rect.x, pictureRect.x, 0), min(rect.right, pictureRect.right, size.width))
    let (top, bottom) = (max(rect.y, pictureRect.y, 0), min(rect.bottom, pictureRect.bottom, size.height))
    guard left < right, top < bottom, rect.width > 0, rect.height > 0 else { return nil }
    let (x, y) = (pictureRect.x, pictureRect.y)
    let (width, height) = (pictureRect.width, pictureRect.height)
    return transform.deviceRect(
      forPictureRect: NormalizedRect(
        left: (left - x) / width, top: (top - y) / height, right: (right - x) / width,
        bottom: (bottom - y) / height))
  }

  private func viewPoint(_ point: NormalizedPoint) -> ViewPoint {
    ViewPoint(
      x: pictureRect.x + point.x * pictureRect.width, y: pictureRect.y + point.y * pictureRect.height)
  }
}

extension ViewRect {
  fileprivate var right: Double { x + width }
  fileprivate var bottom: Double { y + height }
}
