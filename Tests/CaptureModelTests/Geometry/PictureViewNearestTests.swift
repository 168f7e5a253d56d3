import CaptureModel
import Testing

@Suite struct PictureViewNearestTests {
  /// A 4:3 picture in a square view: bars above and below.
  private func view(_ gravity: VideoGravity, _ transform: PictureTransform = .identity) throws -> PictureView
  {
    try PictureView(
      of: FrameSize(width: 640, height: 480), transform: transform, in: ViewSize(width: 100, height: 100),
      gravity: gravity)
  }

  @Test func aTapOnABarMeansTheEdgeOfThePicture() throws {
    let view = try view(.aspect)
    #expect(view.devicePoint(forViewPoint: ViewPoint(x: 50, y: 2)) == nil)
    let nearest = view.nearestDevicePoint(forViewPoint: ViewPoint(x: 50, y: 2))
    #expect(abs(nearest.x - 0.5) < 1e-9 && abs(nearest.y) < 1e-9)
    #expect(
      view.nearestDevicePoint(forViewPoint: ViewPoint(x: -1e9, y: 1e9)) == NormalizedPoint(clampingX: 0, y: 1)
    )
  }

  @Test func aPlaceThatIsCutOffIsNotShownAndItsNearestIs() throws {
    let view = try view(.fill)
    let corner = try NormalizedPoint(x: 0, y: 0.5)
    #expect(!view.shows(devicePoint: corner))
    let nearest = view.nearestViewPoint(forDevicePoint: corner)
    #expect(abs(nearest.x) < 1e-9 && abs(nearest.y - 50) < 1e-9)
    #expect(view.shows(devicePoint: try NormalizedPoint(x: 0.5, y: 0.5)))
    let zoomed = try self.view(.aspect, .zoomed(2))
    #expect(!zoomed.shows(devicePoint: corner))
  }
}
