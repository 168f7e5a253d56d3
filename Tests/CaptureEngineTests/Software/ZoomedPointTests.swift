import CaptureModel
import Testing

@testable import CaptureEngine

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
}
