import CaptureModel
import CaptureWire

extension VideoEndpoint {
  func convertPoints(
    _ request: ConvertPointsRequest, context: CallContext
  ) async throws -> ConvertPointsResponse {
    let view = try request.view()
    return ConvertPointsResponse(
      devicePoints: try request.viewPoints.enumerated().map { index, point in
        let place = try point.viewPoint("view_points[\(index)]")
        return ConvertedPoint(
          view.nearestDevicePoint(forViewPoint: place),
          isVisible: view.devicePoint(forViewPoint: place) != nil)
      },
      viewPoints: try request.devicePoints.enumerated().map { index, point in
        let place = try point.model("device_points[\(index)]")
        return ConvertedPoint(
          view.nearestViewPoint(forDevicePoint: place), isVisible: view.shows(devicePoint: place))
      })
  }
}
