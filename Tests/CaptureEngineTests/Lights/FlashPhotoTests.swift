import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// The torch as the flash of photos, on a camera whose truth is known.
@Suite struct FlashPhotoTests {
  /// A photo while frames come.
  private static func photo(_ rig: StagedRig, flash: LightMode? = nil) async throws -> Picture {
    let device = rig.device
    return try await outcome {
      try await device.capturePhoto(
        VideoRequest(encoding: .raw, flash: flash), requested: 0, progress: { _ in })
    } while: {
      await rig.stepForPhoto()
    }
  }

  /// A photo for which it is lit, and no frame comes.
  private static func litPhoto(_ rig: StagedRig) async -> Task<Picture, any Error> {
    let device = rig.device
    let photo = Task {
      try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0, progress: { _ in })
    }
    await eventually("it is lit") { (try? await ledMode(rig)) == 2 }
    return photo
  }

  private static func light(of picture: Picture, _ rig: StagedRig) -> Double {
    rig.camera.truth.frame(picture.description.sequence)?.torch ?? -1
  }

  /// The mean of the pixels, 0…255.
  private static func brightness(_ picture: Picture) -> Double {
    let bytes = picture.payload.bytes
    return Double(bytes.reduce(0) { $0 + Int($1) }) / Double(max(bytes.count, 1))
  }

  private static func ledMode(_ rig: StagedRig) async throws -> Int64? {
    try await rig.camera.values(of: [.flashLEDMode]).first?.number
  }

  @Test func itFiresWithThePhotoAndIsOutAfterwards() async throws {
    let rig = try await StagedRig()
    let flash = try await rig.device.settingsDescription().flash
    #expect(flash?.modes == [.off, .on, .auto] && flash?.softwareModes == [.on, .auto])
    rig.camera.changeWorld { $0.light = -6 }
    let stream = try await rig.stream()
    let without = try await Self.photo(rig)
    #expect(without.description.flash == nil && Self.light(of: without, rig) == 0)
    let set = try await rig.set { $0.flash = .init(mode: .on) }
    #expect(set.flash?.mode == .on && set.flash?.isSoftware == true && set.torch?.mode == .off)
    #expect(try await Self.ledMode(rig) == 0)
    let lit = try await Self.photo(rig)
    #expect(lit.description.flash == .fired && Self.light(of: lit, rig) == 1)
    #expect(lit.description.settings?.torchLevel?.value == 1)
    #expect(Self.brightness(lit) > Self.brightness(without) + 10)
    #expect(try await Self.ledMode(rig) == 0)
    #expect(await rig.device.knownSettings()?.torch?.isActive == false)
    #expect(await rig.device.knownSettings()?.flash?.mode == .on)
    await rig.device.unsubscribe(stream)
  }

  @Test func aPhotosOwnModeCountsForThatPhotoAlone() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = -6 }
    let stream = try await rig.stream()
    let lit = try await Self.photo(rig, flash: .on)
    #expect(lit.description.flash == .fired && Self.light(of: lit, rig) == 1)
    #expect(try await Self.ledMode(rig) == 0)
    #expect(await rig.device.knownSettings()?.flash?.mode == .off)
    let usual = try await Self.photo(rig)
    #expect(usual.description.flash == nil && Self.light(of: usual, rig) == 0)
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let dark = try await Self.photo(rig, flash: .off)
    #expect(dark.description.flash == nil && Self.light(of: dark, rig) == 0)
    #expect(try await Self.photo(rig).description.flash == .fired)
    await rig.device.unsubscribe(stream)
  }

  @Test func whereTooManyChangesWaitForAFrameItIsNotLit() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    let device = rig.device
    await device.fillWithWaitingChanges()
    _ = rig.camera.takeAssignments()
    let last = await device.lastChange
    let error = await refusal {
      _ = try await device.capturePhoto(
        VideoRequest(encoding: .raw, settling: .zero, flash: .on), requested: 0, progress: { _ in })
    }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "waitingChangesPerCamera")
    #expect(rig.camera.takeAssignments().isEmpty)
    #expect(await device.lastChange == last)
    await device.unsubscribe(stream)
  }

  @Test func ofAnIdleCameraTooAndTheLightsLevelIsPutBack() async throws {
    let rig = try await StagedRig()
    let level = try await rig.set { $0.torch = .init(level: 0.25) }.torch?.level?.value
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let lit = try await Self.photo(rig)
    #expect(lit.description.flash == .fired && Self.light(of: lit, rig) == 1)
    #expect(try await Self.ledMode(rig) == 0)
    #expect(await rig.device.knownSettings()?.torch?.level?.value == level)
  }

  @Test func automaticItFiresOnlyInTheDark() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = 1 }
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure.duration = 0.02 }
    _ = try await rig.set { $0.flash = .init(mode: .auto) }
    await rig.step()
    _ = rig.camera.takeAssignments()
    let bright = try await Self.photo(rig)
    #expect(bright.description.flash == .notNeeded && Self.light(of: bright, rig) == 0)
    #expect(rig.camera.takeAssignments().isEmpty)
    rig.camera.changeWorld { $0.light = -10 }
    for _ in 0..<4 { await rig.step() }
    let dark = try await Self.photo(rig)
    #expect(dark.description.flash == .fired && Self.light(of: dark, rig) == 1)
    #expect(try await Self.ledMode(rig) == 0)
    await rig.device.unsubscribe(stream)
  }

  @Test func theLightIsOutAlsoWhereThePhotoFails() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    // Nothing comes: the caller gives up.
    let waiting = await Self.litPhoto(rig)
    waiting.cancel()
    await #expect(throws: CaptureError.self) { try await waiting.value }
    #expect(try await Self.ledMode(rig) == 0)
    // The driver refuses.
    rig.camera.refuse(CaptureError(.unavailable, "no answer"))
    await #expect(throws: CaptureError(.unavailable, "no answer")) { try await Self.photo(rig) }
    rig.camera.refuse(nil)
    #expect(try await Self.photo(rig).description.flash == .fired)
    #expect(try await Self.ledMode(rig) == 0)
    await rig.device.unsubscribe(stream)
  }

  @Test func theLightIsOutAlsoWhereTheNodeEnds() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let waiting = await Self.litPhoto(rig)
    await rig.engine.shutDown()
    #expect(try await Self.ledMode(rig) == 0)
    await #expect(throws: CaptureError.self) { try await waiting.value }
    withExtendedLifetime(stream) {}
  }

  @Test func photosOfASessionAreLitToo() async throws {
    let rig = try await StagedRig(size: FrameSize(width: 320, height: 240))
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let format = ActiveFormat(pixelFormat: .yuyv, size: FrameSize(width: 320, height: 240))
    _ = try await rig.engine.configureSession("door", .of("0", format), starts: true, owner: someone)
    let session = try await rig.engine.session("door")
    let photo = try await outcome {
      try await session.capturePhoto(
        PhotoRequest(VideoRequest(encoding: .raw)), output: "photo", requested: 0
      ) { _ in }
    } while: {
      await rig.stepForPhoto()
    }
    #expect(photo.picture.description.flash == .fired && Self.light(of: photo.picture, rig) == 1)
    #expect(try await Self.ledMode(rig) == 0)
    // The mode is the camera's, whatever becomes of the session.
    try await rig.engine.closeSession("door")
    #expect(await rig.device.knownSettings()?.flash?.mode == .on)
  }

  @Test func twoPhotosAtOnceAreBothLit() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    async let first = Self.photo(rig)
    async let second = Self.photo(rig)
    for photo in try await [first, second] {
      #expect(photo.description.flash == .fired && Self.light(of: photo, rig) == 1)
    }
    #expect(try await Self.ledMode(rig) == 0)
    await rig.device.unsubscribe(stream)
  }

  @Test func whoSwitchesTheTorchMeanwhileHasItFromThere() async throws {
    let rig = try await StagedRig()
    let stream = try await rig.stream()
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let waiting = await Self.litPhoto(rig)
    let device = rig.device
    let next = Task {
      try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0, progress: { _ in })
    }
    await eventually("it waits for its turn") { await device.gates.flash.waitingCount == 1 }
    let set = try await rig.set { $0.torch = .init(mode: .on) }
    #expect(set.torch?.mode == .on && set.flash?.mode == .off)
    waiting.cancel()
    _ = try? await waiting.value
    #expect(await refusal { _ = try await next.value }?.code == .aborted)
    #expect(try await Self.ledMode(rig) == 2)
    // Also by the control itself.
    _ = try await rig.set { $0.flash = .init(mode: .on) }
    let last = await Self.litPhoto(rig)
    _ = try await device.set(
      [NamedAssignment(name: "led_mode", value: .value(.integer(2)))], clamping: false)
    last.cancel()
    _ = try? await last.value
    #expect(try await Self.ledMode(rig) == 2)
    await rig.device.unsubscribe(stream)
  }

  @Test func theSceneIsJudgedWithoutAnotherPhotosLight() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = -6 }
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure.duration = 0.02 }
    _ = try await rig.set { $0.flash = .init(mode: .auto) }
    for _ in 0..<4 { await rig.step() }
    let device = rig.device
    func photo() async -> Task<Picture, any Error> {
      let isWaiting = Mutex(false)
      let photo = Task {
        try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0) { _ in
          isWaiting.withLock { $0 = true }
        }
      }
      await eventually("it waits for its frame") { isWaiting.withLock { $0 } }
      return photo
    }
    let first = await photo()
    // Frames that come too quickly are not all looked at.
    await eventually("it is lit") {
      if (try? await Self.ledMode(rig)) == 2 { return true }
      rig.camera.step()
      return false
    }
    let second = await photo()
    for photo in [first, second] {
      let taken = try await outcome {
        try await photo.value
      } while: {
        await rig.stepForPhoto()
      }
      #expect(taken.description.flash == .fired && Self.light(of: taken, rig) == 1)
    }
    #expect(try await Self.ledMode(rig) == 0)
    await rig.device.unsubscribe(stream)
  }

  @Test func whoeverIsSwitchedOnLastEndsTheOther() async throws {
    let rig = try await StagedRig()
    #expect(try await rig.set { $0.torch = .init(mode: .on) }.torch?.isActive == true)
    for mode in [LightMode.on, .auto] {
      let flash = try await rig.set { $0.flash = .init(mode: mode) }
      #expect(flash.flash?.mode == mode && flash.torch?.mode == .off && flash.torch?.isActive == false)
      let torch = try await rig.set { $0.torch = .init(mode: mode) }
      #expect(torch.torch?.mode == mode && torch.flash?.mode == .off)
    }
    let off = try await rig.set { $0.torch = .init(mode: .off) }
    #expect(off.torch?.mode == .off && off.flash?.mode == .off)
    await #expect(throws: CaptureError.self) {
      try await rig.set { ($0.torch, $0.flash) = (.init(mode: .auto), .init(mode: .auto)) }
    }
    // A change that fails leaves both.
    _ = try await rig.set { $0.torch = .init(mode: .on) }
    rig.camera.refuse(CaptureError(.unavailable, "no answer"))
    await #expect(throws: CaptureError.self) { try await rig.set { $0.flash = .init(mode: .on) } }
    rig.camera.refuse(nil)
    let after = try await rig.device.settings()
    #expect(after.torch?.mode == .on && after.flash?.mode == .off)
  }
}
