import CaptureModel
import CaptureSynthetic
import Testing

@testable import CaptureEngine

/// Grey in a picture that clips: what it finds with a borrowed exposure, and what it does without one.
@Suite struct BorrowedForGreyTests {
  private static func gains(_ settings: CameraSettings) -> WhiteBalanceGains? {
    settings.whiteBalance?.gains?.value
  }

  private func expectGrey(_ rig: StagedRig, _ settings: CameraSettings) throws {
    let gains = try #require(Self.gains(settings))
    let light = Illuminant.color(rig.camera.truth.world.illuminant)
    #expect(abs(light.red * gains.red / gains.green - 1) < 0.04)
    #expect(abs(light.blue * gains.blue / gains.green - 1) < 0.04)
  }

  @Test(arguments: [(true, 1), (false, 0), (false, 4)])
  func aPictureThatClipsIsExposedForGreyAlone(isCalibrated: Bool, delay: Int) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(isCalibrated: isCalibrated, delay: delay) {
      $0.whiteBalance.colour = .greyWorld
    }
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400) { $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.whiteBalance?.failure == nil)
    try expectGrey(rig, after)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Each borrows for itself, one after the other.
  @Test func focusAndGreyAtOnceBothEndRight() async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await StagedRig.overexposed {
      $0.focus = .init(mode: .auto, point: point)
      $0.whiteBalance.colour = .greyWorld
    }
    _ = await rig.steps(600) { $0.focus?.mode == .locked && $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil && after.whiteBalance?.failure == nil)
    try expectGrey(rig, after)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Grey waits for focus, and then goes on.
  @Test func focusThatBeginsMeanwhileTakesTheExposureOver() async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await StagedRig.overexposed(isCalibrated: false) {
      $0.whiteBalance.colour = .greyWorld
    }
    await rig.stepUntilItExposes(before)
    _ = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
    _ = await rig.steps(600) { $0.focus?.mode == .locked && $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(BorrowingSearch.focus.hasFound(after) && BorrowingSearch.grey.hasFound(after), "\(after)")
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Steps until the search for grey has ended: it fails in a picture that is too bright, and what somebody has set of the exposure stays all the time.
  private func expectGreyToFail(_ rig: StagedRig, leaving set: CameraSettings) async throws {
    var stays = true
    _ = await rig.steps(400) { settings in
      stays = stays && settings.exposure == set.exposure
      return settings.whiteBalance?.mode == .locked
    }
    let after = try #require(await rig.device.knownSettings())
    #expect(stays && after.exposure == set.exposure)
    #expect(after.whiteBalance?.failure?.contains("too bright") == true)
  }

  /// Somebody takes the exposure from focus, for which grey waits: it is not borrowed for grey either, until somebody asks for that anew.
  @Test(arguments: [true, false])
  func whatSomebodySetsWhileGreyWaitsStays(isCalibrated: Bool) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(isCalibrated: isCalibrated) { change in
      change.focus.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    await rig.stepUntilItExposes(before)
    let set = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    // Frames show it before the turn comes to grey.
    for _ in 0..<3 { await rig.step() }
    _ = try await rig.set { $0.focus.mode = .locked }
    try await expectGreyToFail(rig, leaving: set)
    _ = try await rig.set { $0.whiteBalance.colour = .greyWorld }
    _ = await rig.steps(400, until: BorrowingSearch.grey.hasFound)
    let again = try #require(await rig.device.knownSettings())
    #expect(BorrowingSearch.grey.hasFound(again) && again.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  /// The exposure was taken from grey before, and the change is one while focus has it: grey gets it no more than without the change.
  @Test func aRefusedChangeDoesNotLetGreyBorrow() async throws {
    let (rig, stream, before) = try await StagedRig.overexposed { change in
      change.focus.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    await rig.stepUntilItExposes(before)
    let set = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    for _ in 0..<3 { await rig.step() }
    _ = try await rig.set { $0.focus.mode = .auto }
    await rig.stepUntilItExposes(before)
    await RefusedChange.atOnce.make(on: rig)
    _ = try await rig.set { $0.focus.mode = .locked }
    await rig.step()
    try await expectGreyToFail(rig, leaving: set)
    await rig.device.unsubscribe(stream)
  }

  /// Too bright for the shortest exposure.
  @Test func greyThatNoExposureShowsIsAFailure() async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(light: 14) {
      $0.whiteBalance.colour = .greyWorld
    }
    _ = await rig.steps(400) { $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.whiteBalance?.failure?.contains("too bright") == true)
    #expect(Self.gains(after) == Self.gains(before) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }
}
