import CaptureModel
import CaptureWire

extension VideoEndpoint {
  func convertPoints(
    _ request: ConvertPointsRequest, context: CallContext
  ) async throws -> ConvertPointsResponse {
    let view = try request.view()
    return ConvertPointsResponse(
      devicePoints: try request.viewPoints.enumerated().map { index, point in
        let place = try ViewPoint(finiteX: point.x, y: point.y, as: "view_points[\(index)]")
        let nearest = view.nearestDevicePoint(forViewPoint: place)
        return ConvertedPoint(
          point: Point(x: nearest.x, y: nearest.y), visible: view.devicePoint(forViewPoint: place) != nil)
      },
      viewPoints: try request.devicePoints.enumerated().map { index, point in
        let place = try point.model("device_points[\(index)]")
        let nearest = view.nearestViewPoint(forDevicePoint: place)
        return ConvertedPoint(
          point: Point(x: nearest.x, y: nearest.y), visible: view.shows(devicePoint: place))
      })
  }
}

extension ViewPoint {
  fileprivate init(finiteX x: Double, y: Double, as field: String) throws(CaptureError) {
    guard x.isFinite, y.isFinite else {
      throw CaptureError(
        .invalidArgument, "\(x),\(y) is no place in a view",
        .init(.valueOutOfRange, field: field, asked: .text("\(x),\(y)")))
    }
    self.init(x: x, y: y)
  }
}
