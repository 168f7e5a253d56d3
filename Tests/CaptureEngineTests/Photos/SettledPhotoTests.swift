import Capture3A
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Photos of a camera whose pictures follow from how it exposes.
@Suite(.timeLimit(.minutes(2))) struct SettledPhotoTests {
  private static let size = FrameSize(width: 160, height: 120)
  /// On the stage's own clock, which tells nothing of when a photo was asked for.
  private static let inDoubt = UInt64(ExposureFilter.framesInDoubt)

  private func photo(_ rig: StagedRig, settling: Duration? = nil) async throws -> Picture {
    let request = VideoRequest(encoding: .raw, settling: settling)
    return try await outcome {
      try await rig.device.capturePhoto(request, requested: 0, progress: { _ in })
    } while: {
      for _ in 0..<50 where rig.software.isIdle { await rig.stepForPhoto() }
    }
  }

  /// Half of the pixels are brighter.
  private func middle(_ picture: Picture) -> UInt8 {
    let luma = stride(from: 0, to: picture.payload.count, by: 2).map { picture.payload.bytes[$0] }.sorted()
    return luma[luma.count / 2]
  }

  /// It exposes by itself, by a stop a frame at most, in light that is five stops less than it is set for.
  private func dim() async throws -> StagedRig {
    var options = PhysicsOptions()
    (options.automation, options.light) = ([.exposure], -5.5)
    let rig = try await StagedRig(options, size: Self.size)
    _ = try await rig.set { $0.exposure.mode = .continuous }
    return rig
  }

  @Test func aPhotoOfAnIdleCameraWaitsForItsOwnExposure() async throws {
    let rig = try await dim()
    let first = try await photo(rig, settling: .zero)
    #expect(first.description.settling == nil && first.description.sequence == Self.inDoubt)
    let settled = try await photo(rig)
    let settling = try #require(settled.description.settling)
    #expect(settling.provenance == .observed && (6...60).contains(settling.frames), "\(settling)")
    // The next one after those that were looked at.
    #expect(
      settled.description.sequence == first.description.sequence + 1 + UInt64(settling.frames) + Self.inDoubt)
    #expect(middle(settled) > middle(first) + 20, "\(middle(first)), \(middle(settled))")
    #expect(await rig.device.stream == nil)
  }

  @Test func nothingIsWaitedForWhereNothingIsAutomatic() async throws {
    let rig = try await StagedRig(size: Self.size)
    let picture = try await photo(rig)
    #expect(picture.description.settling == PhotoSettling(.reported))
    #expect(picture.description.sequence == Self.inDoubt)
  }

  @Test func whatHasSettledCostsNoFrame() async throws {
    let rig = try await dim()
    let stream = try await rig.stream()
    let seen = try await photo(rig)
    #expect(try #require(seen.description.settling).frames > 0)
    let next = try await photo(rig)
    #expect(next.description.settling == PhotoSettling(.observed))
    #expect(next.description.sequence == seen.description.sequence + 1 + Self.inDoubt)
    // Two seconds later nobody has looked for long.
    for _ in 0..<70 { rig.camera.step() }
    #expect(try await photo(rig).description.settling == PhotoSettling(.assumed))
    // A change begins it anew.
    _ = try await rig.set { $0.exposure.bias = -2 }
    let changed = try #require(try await photo(rig).description.settling)
    #expect(changed.provenance == .observed && changed.frames >= 5)
    await rig.device.unsubscribe(stream)
  }

  @Test func theNodesModeLooksAtTheSceneOfAnIdleCameraAgain() async throws {
    let rig = try await StagedRig(.manual(delay: 1), size: Self.size)
    _ = try await rig.set { $0.exposure = .init(mode: .continuous) }
    let bright = try await photo(rig)
    #expect(bright.description.settling?.provenance == .reported)
    rig.camera.changeWorld { $0.light = -3 }
    let dim = try await photo(rig)
    #expect(dim.description.settling?.provenance == .reported)
    #expect(abs(Int(middle(dim)) - Int(middle(bright))) < 12, "\(middle(bright)), \(middle(dim))")
    // While it streams, it has looked.
    let stream = try await rig.stream()
    for _ in 0..<8 { await rig.step() }
    #expect(try await photo(rig).description.settling == PhotoSettling(.reported))
    await rig.device.unsubscribe(stream)
  }

  @Test func aWaitEndsWithItsCaller() async throws {
    let rig = try await dim()
    let device = rig.device
    let waiting = Task {
      try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0, progress: { _ in })
    }
    await eventually("it waits") {
      await rig.stepForPhoto()
      return rig.camera.truth.latest?.sequence ?? 0 >= 2
    }
    waiting.cancel()
    await #expect(throws: CaptureError.self) { try await waiting.value }
    #expect(await device.stream == nil)
  }

  @Test func whoSubscribesMeanwhileHasFramesAtOnceAndKeepsThem() async throws {
    let rig = try await dim()
    let device = rig.device
    let isOver = Mutex(false)
    let waiting = Task {
      defer { isOver.withLock { $0 = true } }
      return try await device.capturePhoto(VideoRequest(encoding: .raw), requested: 0, progress: { _ in })
    }
    await eventually("it waits") {
      await rig.stepForPhoto()
      return rig.camera.truth.latest?.sequence ?? 0 >= 2
    }
    let subscription = try await rig.stream()
    rig.camera.step()
    #expect(rig.sink.latest != nil)
    #expect(!isOver.withLock { $0 })
    await eventually("the photo is taken") {
      await rig.stepForPhoto()
      return isOver.withLock { $0 }
    }
    #expect(try await waiting.value.description.settling?.provenance == .observed)
    #expect(rig.camera.step() != nil)
    await device.unsubscribe(subscription)
    #expect(await device.stream == nil)
  }
}
