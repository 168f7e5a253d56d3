/// Converts places also where the view does not show them: to the nearest place that it shows.
extension PictureView {
  /// Whether the view shows a place of the sensor's frame.
  public func shows(devicePoint point: NormalizedPoint) -> Bool {
    guard let place = viewPoint(forDevicePoint: point) else { return false }
    return (0...size.width).contains(place.x) && (0...size.height).contains(place.y)
  }

  /// The place of the sensor's frame that is shown at `point`, or nearest to it.
  public func nearestDevicePoint(forViewPoint point: ViewPoint) -> NormalizedPoint {
    let place = nearestShown(point)
    return transform.devicePoint(
      forPicturePoint: NormalizedPoint(
        clampingX: (place.x - pictureRect.x) / pictureRect.width,
        y: (place.y - pictureRect.y) / pictureRect.height))
  }

  /// Where the view shows a place of the sensor's frame, or the nearest place that it shows.
  public func nearestViewPoint(forDevicePoint point: NormalizedPoint) -> ViewPoint {
    let place = transform.nearestPicturePoint(forDevicePoint: point)
    return nearestShown(
      ViewPoint(
        x: pictureRect.x + place.x * pictureRect.width, y: pictureRect.y + place.y * pictureRect.height))
  }

  /// The nearest point that lies in the view and on the picture.
  private func nearestShown(_ point: ViewPoint) -> ViewPoint {
    let (left, right) = (max(pictureRect.x, 0), min(pictureRect.x + pictureRect.width, size.width))
    let (top, bottom) = (max(pictureRect.y, 0), min(pictureRect.y + pictureRect.height, size.height))
    return ViewPoint(x: min(max(point.x, left), right), y: min(max(point.y, top), bottom))
  }
}
