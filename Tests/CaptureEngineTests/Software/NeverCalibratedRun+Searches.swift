import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Glibc
import Testing

@testable import CaptureEngine

/// Searches from a value that was set a moment before and is far from right, held against what the camera alone knows.
extension NeverCalibratedRun {
  func expose(_ scene: inout RandomScene, _ tally: inout SearchTally) async throws {
    let duration = [0.0001, 0.0005, 0.033, 0.02].randomElement(using: &scene.numbers)!
    let gain = [0.0, 0, 255].randomElement(using: &scene.numbers)!
    let end = try await search(isLate: .random(using: &scene.numbers)) {
      $0.exposure = .init(mode: .custom, duration: duration, gain: gain)
    } from: {
      $0.exposure.mode = .auto
    } until: {
      $0.exposure?.mode == .locked
    }
    let exposure = try #require(end.settings.exposure)
    tally.add(try error(of: frame), most: 0.15, failure: exposure.failure, end.frames, scene.name)
    if exposure.failure != nil {
      let before = end.before.exposure
      #expect(exposure.duration == before?.duration && exposure.gain == before?.gain, "\(scene.name)")
    }

    /// How far the light is from middle grey as the meter weighs it, in EV.
    func error(of frame: PhysicsFrame) throws -> Double {
      let exposure = SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso)
      return abs(log2(meteredLight(with: frame.gains) * exposure / 0.18))
    }
  }

  /// The exposure is afterwards as it was.
  func balance(_ scene: inout RandomScene, _ tally: inout SearchTally) async throws {
    let before = await rig.device.knownSettings()?.exposure
    let kelvin = [2000.0, 2500, 10_000].randomElement(using: &scene.numbers)!
    let end = try await search(isLate: .random(using: &scene.numbers)) {
      $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: kelvin))
    } from: {
      $0.whiteBalance.colour = .greyWorld
    } until: {
      $0.whiteBalance?.mode == .locked
    }
    let frame = try frame
    let light = Illuminant.color(frame.world.illuminant)
    let error = max(abs(light.red * frame.gains.red - 1), abs(light.blue * frame.gains.blue - 1))
    tally.add(error, most: 0.04, failure: end.settings.whiteBalance?.failure, end.frames, scene.name)
    let after = await rig.device.knownSettings()?.exposure
    #expect(after?.duration?.value == before?.duration?.value && after?.gain?.value == before?.gain?.value)
    if end.settings.whiteBalance?.failure != nil {
      let (now, then) = (end.settings.whiteBalance, end.before.whiteBalance)
      #expect(now?.gains == then?.gains && now?.temperature == then?.temperature, "\(scene.name)")
    }
  }

  /// Off by up to 4 % of the lens's travel is right. The exposure is afterwards as it was.
  func focus(_ scene: inout RandomScene, _ tally: inout SearchTally) async throws {
    let before = await rig.device.knownSettings()?.exposure
    let point = try place(&scene.numbers)
    let lens = [0.0, 1, 0.5].randomElement(using: &scene.numbers)!
    let end = try await search(isLate: .random(using: &scene.numbers)) {
      $0.focus.lensPosition = lens
    } from: {
      $0.focus = .init(mode: .auto, point: point)
    } until: {
      $0.focus?.mode == .locked
    }
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    let error = try abs(frame.lensPosition - truth)
    tally.add(error, most: 0.04, failure: end.settings.focus?.failure, end.frames, scene.name)
    let after = await rig.device.knownSettings()?.exposure
    #expect(after?.duration?.value == before?.duration?.value && after?.gain?.value == before?.gain?.value)
    if end.settings.focus?.failure != nil {
      #expect(end.settings.focus?.lensPosition == end.before.focus?.lensPosition, "\(scene.name)")
    }
  }

  /// A place around which all is at one distance: else it is not said which of several is the truth.
  private func place(_ numbers: inout SeededNumbers) throws -> NormalizedPoint {
    while true {
      let point = try NormalizedPoint(
        x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
      let distance = 0.18 / Double.random(in: 0.06...1, using: &numbers)
      let subject = PhysicsPoint(
        x: .random(in: 0.2...0.8, using: &numbers), y: .random(in: 0.2...0.8, using: &numbers))
      rig.camera.changeWorld { ($0.subjectDistance, $0.subject) = (distance, subject) }
      // All zones that count for the point.
      let around = PhysicsArea(x: point.x - 0.11, y: point.y - 0.145, width: 0.22, height: 0.29)
      if rig.camera.truth.isFlat(around) { return point }
    }
  }
}
