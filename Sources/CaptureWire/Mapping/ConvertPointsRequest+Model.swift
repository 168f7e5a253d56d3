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
        crop: try region?.checked(as: "region") ?? .full,
        orientation: try Orientation(degrees: Int(orientation)),
        isMirrored: mirrored),
      in: ViewSize(width: viewWidth, height: viewHeight),
      gravity: try gravity.model("a gravity of", "gravity") ?? .aspect)
  }
}
