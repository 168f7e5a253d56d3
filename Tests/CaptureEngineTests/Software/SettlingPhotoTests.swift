import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A photographer's commands back to back, on a camera that nobody calibrated and that does not stream until the photo.
@Suite struct SettlingPhotoTests {
  private func photo(_ rig: StagedRig) async throws -> Picture {
    try await outcome {
      try await rig.device.capturePhoto(VideoRequest(encoding: .raw), requested: 0, progress: { _ in })
    } while: {
      for _ in 0..<50 where rig.software.isIdle { await rig.stepForPhoto() }
    }
  }

  @Test(arguments: [(0, "320x240"), (2, "640x480"), (5, "320x240")])
  func aPhotoWaitsForWhatIsLookedFor(delay: Int, size: String) async throws {
    var options = PhysicsOptions.manual(delay: delay, seed: 7)
    (options.light, options.illuminant) = (1, 3200)
    let rig = try await StagedRig(options, size: try #require(FrameSize(size)), isCalibrated: false)
    let point = try NormalizedPoint(x: 0.515, y: 0.27)
    _ = try await rig.set { $0.exposure = .init(mode: .custom, duration: 0.0005) }
    _ = try await rig.set { $0.exposure.mode = .auto }
    _ = try await rig.set { $0.whiteBalance.colour = .greyWorld }
    _ = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
    _ = try await photo(rig)
    let frame = try #require(rig.camera.truth.latest)
    let settings = try #require(await rig.device.knownSettings())
    #expect(settings.exposure?.mode == .locked && settings.exposure?.failure == nil, "\(settings)")
    #expect(settings.whiteBalance?.mode == .locked && settings.whiteBalance?.failure == nil, "\(settings)")
    #expect(settings.focus?.mode == .locked && settings.focus?.failure == nil, "\(settings)")
    let light = Illuminant.color(3200)
    #expect(abs(light.red * frame.gains.red - 1) < 0.04 && abs(light.blue * frame.gains.blue - 1) < 0.04)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(frame.lensPosition - truth) < 0.04)
    // The camera is as idle as before, and what was found is there for the next photo, which waits for nothing.
    #expect(await rig.device.stream == nil)
    _ = try await photo(rig)
    let next = try #require(rig.camera.truth.latest).sequence
    #expect((next < frame.sequence ? next : next - frame.sequence) <= 3)
  }

  @Test func whatFindsNothingIsBackBeforeThePhotoIsTaken() async throws {
    var options = PhysicsOptions.manual(delay: 3, seed: 7)
    options.light = -16
    let rig = try await StagedRig(options, size: FrameSize(width: 320, height: 240), isCalibrated: false)
    _ = try await rig.set { $0.exposure = .init(mode: .custom, duration: 0.002) }
    _ = try await rig.set { $0.exposure.mode = .auto }
    _ = try await photo(rig)
    #expect(try #require(rig.camera.truth.latest).exposureDuration == 0.002)
    #expect(await rig.device.knownSettings()?.exposure?.failure != nil)
  }

  /// In the dark nothing tells what grey is, nor where the lens should be: what goes on looking for it makes no photo wait for ever.
  @Test(arguments: [true, false]) func whatNeverEndsKeepsNoPhoto(isCalibrated: Bool) async throws {
    var options = PhysicsOptions.manual(delay: 2, seed: 7)
    options.light = -16
    let rig = try await StagedRig(options, isCalibrated: isCalibrated)
    let stream = try await rig.stream()
    _ = try await rig.set { change in
      change.exposure.mode = .continuous
      change.whiteBalance.mode = .continuous
      change.focus.mode = .continuous
    }
    let frames = await rig.steps(500) { settings in
      settings.exposure?.isAdjusting == false && settings.whiteBalance?.isAdjusting == false
        && settings.focus?.isAdjusting == false
    }
    #expect(frames < 500)
    await rig.device.unsubscribe(stream)
    let end = try await rig.set { $0.whiteBalance.mode = .auto }
    #expect(end.whiteBalance?.isAdjusting == true)
    _ = try await photo(rig)
    let settings = try #require(await rig.device.knownSettings()?.whiteBalance)
    #expect(settings.mode == .locked && settings.failure?.contains("what grey is") == true, "\(settings)")
  }
}
