import CaptureModel
import Testing

@testable import Capture3A

/// Points of interest lie in the sensor's frame, whatever the zoom.
@Suite struct ZoomedPointTests {
  @Test func whatTheNodeCutsIsMeteredInTheWholeFrame() {
    var actuators = Actuators()
    var frame = FrameSettings()
    frame.zoomFactor = Observed(2, .reported)
    #expect(actuators.field(frame) == .identity)
    actuators.camera.zoom = .init(maximum: 8, kind: .digital)
    #expect(actuators.field(frame) == .identity)
    for kind in [ZoomKind.hardware, .sensorCrop] {
      actuators.camera.zoom = .init(maximum: 8, kind: kind)
      #expect(actuators.field(frame) == .zoomed(2))
    }
    frame.zoomFactor = Observed(2, .unknown)
    #expect(actuators.field(frame) == nil)
  }

  @Test func whatTheDriverMirrorsIsMeteredWhereItIs() throws {
    var actuators = Actuators()
    var frame = FrameSettings()
    let point = try NormalizedPoint(x: 0.25, y: 0.125)
    func place() -> [Double]? {
      actuators.field(frame)?.picturePoint(forDevicePoint: point).map { [$0.x, $0.y] }
    }
    frame.horizontalFlip = Observed(0, .reported)
    #expect(place() == [0.25, 0.125])
    frame.horizontalFlip = Observed(1, .reported)
    #expect(place() == [0.75, 0.125])
    frame.verticalFlip = Observed(1, .assumed)
    #expect(place() == [0.75, 0.875])
    frame.horizontalFlip = nil
    #expect(place() == [0.25, 0.875])
    actuators.camera.zoom = .init(maximum: 8, kind: .hardware)
    frame.zoomFactor = Observed(1.25, .reported)
    let zoomed = try #require(actuators.field(frame)?.picturePoint(forDevicePoint: point))
    #expect(abs(zoomed.x - 0.1875) < 1e-9 && abs(zoomed.y - 0.96875) < 1e-9)
    frame.verticalFlip = Observed(1, .unknown)
    #expect(actuators.field(frame) == nil)
  }
}
