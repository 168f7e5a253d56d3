import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsZoomAndTorchTests {
  private func stage() -> PhysicsStage {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = 0
    options.lensSpeed = .infinity
    options.noise = 0
    return PhysicsStage(options)
  }

  /// The width of the ball in the picture's row of its middle, by its colour.
  private func edges(_ stage: PhysicsStage, zoom: Int64) throws -> (left: Int, right: Int) {
    try stage.set(.zoomAbsolute, zoom)
    _ = stage.step()
    let bytes = stage.step().payload.bytes
    let row = 120
    let red = (0..<160).map { bytes[(row * 320 + 2 * $0) * 2 + 3] > 150 }
    return try (#require(red.firstIndex(of: true)) * 2, #require(red.lastIndex(of: true)) * 2)
  }

  @Test func zoomMagnifiesAboutTheMiddle() throws {
    let stage = stage()
    stage.changeWorld { $0.subject = PhysicsPoint(x: 0.5, y: 0.5) }
    try stage.set(.focusAbsolute, Int64(1023 * LensOptics.position(inFocusAt: 0.45)))
    let plain = try edges(stage, zoom: 100)
    #expect(plain.right - plain.left >= 50)
    for zoom in [130, 199, 200, 270, 400] as [Int64] {
      let factor = Double(zoom) / 100
      let edges = try edges(stage, zoom: zoom)
      for (edge, plain) in [(edges.left, plain.left), (edges.right, plain.right)] {
        let expected = max(0, min(318, 160 + (Double(plain) - 160) * factor))
        #expect(abs(Double(edge) - expected) <= 2 * factor + 1, "\(zoom): \(edges), \(plain)")
      }
    }
  }

  @Test func placesAreThoseOfTheZoomedPicture() {
    let truth = stage().truth
    let point = PhysicsPoint(x: 0.9, y: 0.9)
    #expect(truth.distance(at: point) == 0.2)
    #expect(truth.distance(at: point, zoom: 4) == truth.distance(at: PhysicsPoint(x: 0.6, y: 0.6)))
  }

  @Test func torchLightsNearThingsMore() throws {
    let stage = stage()
    stage.changeWorld { $0.light = -5 }
    func light(_ area: PhysicsArea, _ frame: Frame) -> Double { Picture(frame).signal(area).luminance }
    // At 0.2 m, 1.2 m, and 4 m.
    let areas = [(0.75, 0.65), (0.1, 0.2), (0.4, 0.0)].map {
      PhysicsArea(x: $0.0, y: $0.1, width: 0.15, height: $0.1 == 0 ? 0.06 : 0.2)
    }
    let dark = stage.step()
    try stage.set(.flashLEDMode, 2)
    try stage.set(.torchIntensity, 4)
    _ = stage.step()
    let lit = stage.step()
    #expect(stage.truth.latest?.torch == 0.04)
    let gains = areas.map { light($0, lit) / light($0, dark) }
    // 0.25 × 4 % by the square of the distance, beside 2^-5.
    for (gain, distance) in zip(gains, [0.2, 1.2, 4]) {
      let expected = 1 + 0.01 / (distance * distance) * 32
      #expect(abs(gain / expected - 1) < 0.12, "\(distance) m: \(gain), \(expected)")
    }
    try stage.set(.flashLEDMode, 0)
    _ = stage.step()
    #expect(stage.step().payload.bytes == dark.payload.bytes)
  }
}
