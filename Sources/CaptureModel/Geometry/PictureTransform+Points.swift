/// Converts places in the sensor's own upright frame, whose coordinates points of interest have, to places in the delivered picture, and back.
extension PictureTransform {
  /// Where the picture shows a place of the sensor's frame; `nil` where the place was cut off.
  public func picturePoint(forDevicePoint point: NormalizedPoint) -> NormalizedPoint? {
    guard crop.contains(point) else { return nil }
    return picturePoint(x: point.x, y: point.y)
  }

  /// Where the picture shows a place of the sensor's frame. For a place that was cut off, the nearest place that is shown.
  public func nearestPicturePoint(forDevicePoint point: NormalizedPoint) -> NormalizedPoint {
    picturePoint(
      x: min(max(point.x, crop.x), crop.right), y: min(max(point.y, crop.y), crop.bottom))
  }

  /// The place of the sensor's frame that the picture shows at `point`.
  public func devicePoint(forPicturePoint point: NormalizedPoint) -> NormalizedPoint {
    let (x, y) = (isMirrored ? 1 - point.x : point.x, point.y)
    let (u, v): (Double, Double) =
      switch orientation {
      case .upright: (x, y)
      case .clockwise90: (y, 1 - x)
      case .upsideDown: (1 - x, 1 - y)
      case .clockwise270: (1 - y, x)
      }
    return NormalizedPoint(clampingX: crop.x + u * crop.width, y: crop.y + v * crop.height)
  }

  /// Where the picture shows the visible part of a rectangle of the sensor's frame; `nil` where none of it is visible.
  public func pictureRect(forDeviceRect rect: NormalizedRect) -> NormalizedRect? {
    guard let visible = crop.intersection(rect) else { return nil }
    return NormalizedRect(
      corners: picturePoint(x: visible.x, y: visible.y),
      picturePoint(x: visible.right, y: visible.bottom))
  }

  /// The part of the sensor's frame that a part of the picture shows.
  public func deviceRect(forPictureRect rect: NormalizedRect) -> NormalizedRect {
    NormalizedRect(
      corners: devicePoint(forPicturePoint: rect.topLeft), devicePoint(forPicturePoint: rect.bottomRight))
  }

  private func picturePoint(x: Double, y: Double) -> NormalizedPoint {
    let (u, v) = ((x - crop.x) / crop.width, (y - crop.y) / crop.height)
    let turned: (x: Double, y: Double) =
      switch orientation {
      case .upright: (u, v)
      case .clockwise90: (1 - v, u)
      case .upsideDown: (1 - u, 1 - v)
      case .clockwise270: (v, 1 - u)
      }
    return NormalizedPoint(clampingX: isMirrored ? 1 - turned.x : turned.x, y: turned.y)
  }
}
