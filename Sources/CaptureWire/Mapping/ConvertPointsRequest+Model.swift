public import CaptureModel

extension ConvertPointsRequest {
  /// The view with the picture in it. Throws `invalidArgument` for a view or picture without an area, and for an impossible region or orientation.
  public func view() throws(CaptureError) -> PictureView {
    guard let picture = picture?.model else {
      throw CaptureError(
        .invalidArgument, "the request lacks the picture's size", .init(.valueMissing, field: "picture"))
    }
    guard picture.width <= 65_535, picture.height <= 65_535 else {
      throw CaptureError(
        .invalidArgument, "a picture of \(picture) is not possible; both sides go from 1 to 65535",
        .init(.valueOutOfRange, field: "picture", asked: .text("\(picture)")))
    }
    return try PictureView(
      of: picture,
      transform: PictureTransform(
        crop: try region?.model("region") ?? .full,
        orientation: try Orientation(degrees: Int(orientation)),
        isMirrored: mirrored),
      in: ViewSize(width: viewWidth, height: viewHeight),
      gravity: try gravity.model("a gravity of", "gravity") ?? .aspect)
  }
}

extension Point {
  /// A place in the view. Throws `invalidArgument`, which names `field`, for numbers that are not finite.
  package func viewPoint(_ field: String) throws(CaptureError) -> ViewPoint {
    guard x.isFinite, y.isFinite else {
      throw CaptureError(
        .invalidArgument, "\(x),\(y) is no place in a view",
        .init(.valueOutOfRange, field: field, asked: .text("\(x),\(y)")))
    }
    return ViewPoint(x: x, y: y)
  }
}

extension ConvertedPoint {
  package init(_ point: NormalizedPoint, isVisible: Bool) {
    self.init(point: Point(point), visible: isVisible)
  }

  package init(_ point: ViewPoint, isVisible: Bool) {
    self.init(point: Point(x: point.x, y: point.y), visible: isVisible)
  }
}
