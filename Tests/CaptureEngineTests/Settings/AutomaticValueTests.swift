import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What frames and watchers are told while the camera exposes by itself, against what only the camera knows.
@Suite(.timeLimit(.minutes(2))) struct AutomaticValueTests {
  /// A frame of the time when nothing moves any more tells what it was taken with.
  @Test func framesTellWhatTheCamerasExposureCameTo() async throws {
    let rig = try await StagedRig(PhysicsOptions())
    let stream = try await rig.stream()
    let watch = try await rig.device.watchSettings(["exposure.duration"])
    _ = try await watch.next()
    try await rig.settle()
    let before = try #require(rig.camera.truth.latest?.exposureDuration)
    rig.camera.changeWorld { $0.light += 1 }
    try await rig.settle()
    let after = try #require(rig.camera.truth.latest?.exposureDuration)
    #expect(after < before * 0.7)
    // Without anybody asking for it.
    let news = try #require(try await watch.next())
    #expect(news.keys == [.setting(.exposureDuration)] && news.change == 0)
    #expect(news.frame != nil && news.provenance == .assumed)
    watch.end()
    await rig.device.unsubscribe(stream)
  }

  @Test func whileItMovesItIsAdjusting() async throws {
    let rig = try await StagedRig(PhysicsOptions())
    let stream = try await rig.stream()
    try await rig.settle()
    await eventually("it rests") {
      await rig.step()
      return await rig.device.knownSettings()?.exposure?.isAdjusting == false
    }
    rig.camera.changeWorld { $0.light += 2 }
    await eventually("it is adjusting") {
      await rig.step()
      return await rig.device.knownSettings()?.exposure?.isAdjusting == true
    }
    await eventually("it rests again") {
      await rig.step()
      return await rig.device.knownSettings()?.exposure?.isAdjusting == false
    }
    await rig.device.unsubscribe(stream)
  }

  @Test func aCameraThatDoesNotTellIsNotBelieved() async throws {
    var options = PhysicsOptions()
    options.reportsAutomaticValues = false
    let rig = try await StagedRig(options)
    let stream = try await rig.stream()
    for _ in 0..<10 { await rig.step() }
    #expect(rig.sink.latest?.exposureDuration?.provenance == .unknown)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: [ExposureMode.continuous, .locked, .custom])
  func theOffsetIsToldWhoeverExposesWhileSomebodyWatchesIt(_ mode: ExposureMode) async throws {
    let rig = try await StagedRig(PhysicsOptions())
    let stream = try await rig.stream()
    for _ in 0..<40 { await rig.step() }
    _ = try await rig.set { $0.exposure.mode = mode }
    for _ in 0..<5 { await rig.step() }
    _ = rig.camera.takeAssignments()
    #expect(rig.software.measured == 0)
    #expect(await rig.device.knownSettings()?.exposure?.targetOffset == nil)
    let watch = try await rig.device.watchSettings(["exposure.target_offset"])
    _ = try await watch.next()
    for _ in 0..<3 { await rig.step() }
    let exposure = try #require(await rig.device.knownSettings()?.exposure)
    #expect(abs(try #require(exposure.targetOffset).value) < 0.5 && !exposure.isSoftware)
    #expect(exposure.mode == mode && rig.camera.takeAssignments().isEmpty)
    let news = try #require(try await watch.next())
    #expect(news.keys == [.setting(.exposureTargetOffset)] && news.frame != nil)
    if mode != .continuous {
      rig.camera.changeWorld { $0.light += 2 }
      for _ in 0..<3 { await rig.step() }
      let now = try #require(await rig.device.knownSettings()?.exposure?.targetOffset).value
      #expect(now > (exposure.targetOffset?.value ?? 9) + 1)
    }
    let measured = rig.software.measured
    watch.end()
    await eventually("it is over") { !rig.software.wantsFrames }
    for _ in 0..<5 { await rig.step() }
    #expect(rig.software.measured == measured)
    #expect(await rig.device.knownSettings()?.exposure?.targetOffset == nil)
    await rig.device.unsubscribe(stream)
  }

  @Test func theOffsetIsOfAStreamThatRuns() async throws {
    let rig = try await StagedRig(PhysicsOptions())
    let watch = try await rig.device.watchSettings(["exposure"])
    #expect(!rig.software.wantsFrames)
    let stream = try await rig.stream()
    for _ in 0..<3 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure?.targetOffset != nil)
    await rig.device.unsubscribe(stream)
    #expect(!rig.software.wantsFrames)
    #expect(await rig.device.knownSettings()?.exposure?.targetOffset == nil)
    watch.end()
  }
}

extension StagedRig {
  /// Until the camera's own exposure rests, and frames tell it.
  fileprivate func settle() async throws {
    var (last, same) = (-1.0, 0)
    await eventually("frames tell what they were taken with") {
      await step()
      let now = camera.truth.latest?.exposureDuration ?? 0
      same = now == last ? same + 1 : 0
      last = now
      guard same > 10, let told = sink.latest?.exposureDuration else { return false }
      return told.provenance == .assumed && abs(told.value - now) < 1e-9
    }
  }
}
