import CaptureControls
import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsAutomationTests {
  private let stage = PhysicsStage(PhysicsOptions(), size: FrameSize(width: 160, height: 120))

  private func flags(_ id: ControlID) -> ControlFlags? {
    stage.truth.withLock { $0.model.descriptions }.first { $0.id == id }?.flags
  }

  private func error(_ frame: PhysicsFrame) -> Double {
    // The camera meters more of the middle: what matters is that it comes to rest near.
    stage.truth.light(in: PhysicsArea(x: 0.2, y: 0.2, width: 0.6, height: 0.6)).luminance
      * SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso) / 0.18
  }

  @Test(arguments: [-3.0, 3]) func exposureFollowsTheLightAndRests(step: Double) throws {
    for _ in 0..<30 { _ = stage.step() }
    let before = try #require(stage.truth.latest)
    #expect(before.automation == .all)
    #expect(0.6...1.6 ~= error(before))
    stage.changeWorld { $0.light = step }
    for _ in 0..<30 { _ = stage.step() }
    let settled = try #require(stage.truth.latest)
    #expect(0.6...1.6 ~= error(settled))
    for _ in 0..<10 { _ = stage.step() }
    #expect(stage.truth.latest?.iso == settled.iso)
    #expect(stage.truth.latest?.exposureDuration == settled.exposureDuration)
  }

  @Test func whiteBalanceAndFocusFollow() throws {
    stage.changeWorld {
      $0.illuminant = 3000
      $0.subject = PhysicsPoint(x: 0.5, y: 0.5)
      $0.subjectDistance = 0.25
    }
    for _ in 0..<40 { _ = stage.step() }
    let frame = try #require(stage.truth.latest)
    #expect(abs(frame.gains.red * Illuminant.color(3000).red - 1) < 0.02)
    #expect(abs(frame.lensPosition - LensOptics.position(inFocusAt: 0.25)) < 0.005)
    #expect(stage.value(.whiteBalanceTemperature) == 3000)
  }

  @Test func modesOwnTheirValues() throws {
    #expect(flags(.exposureAbsolute) == [.inactive, .volatile])
    #expect(flags(.focusAbsolute) == [.inactive, .volatile])
    let error = #expect(throws: CaptureError.self) { try stage.set(.exposureAbsolute, 100) }
    #expect(error?.code == .failedPrecondition)
    try stage.set(.autoExposure, 1)
    #expect(flags(.exposureAbsolute) == [])
    #expect(flags(.gain) == [])
    #expect(flags(.autoExposureBias) == .inactive)
    try stage.set(.exposureAbsolute, 100)
  }

  @Test func modeThatEndsLeavesWhatItChose() throws {
    stage.changeWorld { $0.light = -2 }
    for _ in 0..<30 { _ = stage.step() }
    try stage.set(.autoExposure, 1)
    for _ in 0..<5 { _ = stage.step() }
    let held = try #require(stage.truth.latest)
    #expect(held.automation == [.focus, .whiteBalance])
    #expect(stage.value(.exposureAbsolute) == Int64((held.exposureDuration * 1e4).rounded()))
    #expect(stage.value(.gain) == held.gain)
    stage.changeWorld { $0.light = 2 }
    for _ in 0..<5 { _ = stage.step() }
    #expect(stage.truth.latest?.exposureDuration == held.exposureDuration)
  }

  @Test func cameraMayLackModesAndParts() {
    var options = PhysicsOptions()
    options.automation = .exposure
    options.parts = [.lens]
    let ids = PhysicsControls.table(options).map(\.id)
    #expect(ids == [.gain, .autoExposure, .autoExposureBias, .exposureAbsolute, .focusAbsolute])
    options.automation = []
    #expect(PhysicsControls.table(options).map(\.id) == [.gain, .exposureAbsolute, .focusAbsolute])
  }
}
