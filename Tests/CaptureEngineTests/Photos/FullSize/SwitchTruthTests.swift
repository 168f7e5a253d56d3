import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// What is held over a switch of format, against what the camera knows of its frames and against their pixels.
@Suite struct SwitchTruthTests {
  private static let small = FrameSize(width: 160, height: 120)
  private static let large = FrameSize(width: 640, height: 480)

  private func rig(_ options: PhysicsOptions) async throws -> (StagedRig, Collector) {
    let rig = try await StagedRig(options, size: Self.small, largerSizes: [Self.large])
    let collector = Collector()
    let request = VideoRequest(encoding: .raw, size: Self.small)
    try await rig.device.join(collector, asking: request)
    return (rig, collector)
  }

  private static var request: PhotoRequest {
    let frame = VideoRequest(encoding: .raw)
    var request = PhotoRequest(frame, formats: [PhotoFormat(.raw, frame)])
    request.fullSize = .switch
    return request
  }

  /// Takes the photo; `stepping` is done before each frame.
  private func photo(_ rig: StagedRig, stepping: @escaping () async -> Void = {}) async throws -> Picture {
    let device = rig.device
    return try await outcome {
      try await device.run { try await $0.photos.capture(Self.request, on: $0, requested: 0) { _ in } }
        .picture
    } while: {
      if await device.isPhotoAwaited {
        await stepping()
        rig.camera.step()
      }
    }
  }

  @Test func whatIsSetIsHeldInBothFormats() async throws {
    var options = PhysicsOptions.manual(delay: 3)
    options.light = 2
    let (rig, viewer) = try await rig(options)
    _ = try await rig.set {
      $0.exposure = .init(duration: 0.008, gain: 12)
      $0.focus.lensPosition = 0.4
      $0.whiteBalance.colour = .temperature(TemperatureAndTint(temperature: 4200, tint: 0))
    }
    for _ in 0..<30 { rig.camera.step() }
    let before = try #require(viewer.frames.last)
    let photo = try await photo(rig)
    for _ in 0..<3 { rig.camera.step() }
    let after = try #require(viewer.frames.last)
    #expect(photo.description.size == Self.large && after.size == Self.small)
    for settings in [photo.description.settings, after.settings] {
      #expect(settings?.exposureDuration?.value == 0.008 && settings?.gain?.value == 12)
      #expect(settings?.lensPosition == before.settings?.lensPosition)
      #expect(settings?.temperature == before.settings?.temperature)
    }
    let truth = try #require(rig.camera.truth.frame(after.number))
    #expect(abs(truth.exposureDuration - 0.008) < 2e-5 && truth.gain == 12)
    #expect(abs(truth.lensPosition - truth.lensTarget) < 0.01)
    #expect(abs(photo.luma - before.luma) < 0.03 * before.luma)
    #expect(abs(after.luma - before.luma) < 0.03 * before.luma)
  }

  /// The node's own modes look for nothing meanwhile, and go on afterwards.
  @Test func theNodesModesAreHeldAndGoOn() async throws {
    var options = PhysicsOptions.manual(delay: 1)
    options.light = 1
    let (rig, viewer) = try await rig(options)
    _ = try await rig.set {
      $0.exposure.mode = .continuous
      $0.whiteBalance.mode = .continuous
    }
    for _ in 0..<60 { await rig.step() }
    let before = try #require(viewer.frames.last)
    let photo = try await photo(rig)
    #expect(photo.description.settings?.exposureDuration?.value == before.settings?.exposureDuration?.value)
    #expect(photo.description.settings?.gain?.value == before.settings?.gain?.value)
    #expect(abs(photo.luma - before.luma) < 0.03 * before.luma)
    for _ in 0..<3 { await rig.step() }
    let after = try #require(viewer.frames.last)
    #expect(after.settings?.exposureDuration?.value == before.settings?.exposureDuration?.value)
    let settings = await rig.device.knownSettings()
    #expect(settings?.exposure?.mode == .continuous && settings?.whiteBalance?.mode == .continuous)
  }

  /// A webcam's first frames are dark.
  @Test func darkFramesAreNeitherThePhotoNorShown() async throws {
    let (rig, viewer) = try await exposed()
    let before = try #require(viewer.frames.last)
    let count = viewer.frames.count
    // The light comes back over four frames of each stream.
    let dark = DarkStart(rig.camera, light: 2)
    let device = rig.device
    let photo = try await photo(rig) {
      let isSwitched = await device.run { $0.photos.formatSwitch.hub != nil }
      let isBack = await device.run { $0.stream?.hub.state.withLock { $0.withholding != nil } == true }
      dark.next(in: isSwitched ? 1 : isBack ? 2 : 0)
    }
    #expect(photo.description.sequence >= 3, "\(photo.description.sequence)")
    #expect(abs(photo.luma - before.luma) < 0.1 * before.luma)
    dark.end()
    for _ in 0..<3 { rig.camera.step() }
    let shown = viewer.frames[count...]
    #expect(shown.allSatisfy { abs($0.luma - before.luma) < 0.1 * before.luma }, "\(shown.map(\.luma))")
    #expect(viewer.frames.last!.number >= 5)
  }

  // MARK: A camera that starts with right frames

  /// A camera whose exposure is set, so that little is black or white.
  private func exposed() async throws -> (StagedRig, Collector) {
    var options = PhysicsOptions.manual(delay: 1)
    options.light = 2
    let (rig, viewer) = try await rig(options)
    _ = try await rig.set { $0.exposure = .init(duration: 0.002, gain: 12) }
    for _ in 0..<30 { rig.camera.step() }
    return (rig, viewer)
  }

  /// `nil`: the camera is not back in the viewers' format; else whether they are offered its frames.
  private func isOffered(_ rig: StagedRig) async -> Bool? {
    await rig.device.run { device in
      guard device.photos.formatSwitch.hub == nil, let hub = device.stream?.hub else { return nil }
      return hub.isReconfigured || hub.epoch > 0 ? !hub.isWithholding : nil
    }
  }

  @Test func whereNoFramesAreDarkViewersHaveTheFirst() async throws {
    let (rig, viewer) = try await exposed()
    let (count, before) = (viewer.frames.count, try #require(viewer.frames.last))
    let photo = try await photo(rig) {
      guard await isOffered(rig) != nil else { return }
      await eventually("the frames are offered before one was looked at") { await isOffered(rig) == true }
    }
    #expect(photo.description.settling?.provenance == .observed)
    let shown = viewer.frames[count...].filter { $0.epoch > before.epoch }
    #expect(shown.first?.number == 0 && shown.first?.discontinuity == "a photo of 640x480 was taken")
    #expect(shown.allSatisfy { abs($0.luma - before.luma) < 0.1 * before.luma })
  }

  /// They have had a dark frame by then, and hear that it was not as before.
  @Test func framesThatAreDarkOnTheWayBackAloneAreTold() async throws {
    let (rig, viewer) = try await exposed()
    let before = try #require(viewer.frames.last)
    let dark = DarkStart(rig.camera, light: 2)
    _ = try await photo(rig) {
      guard await isOffered(rig) != nil else { return }
      if !viewer.frames.contains(where: { $0.epoch > before.epoch }) {
        await eventually("the frames are offered") { await isOffered(rig) == true }
      }
      dark.next(in: 2)
    }
    dark.end()
    for _ in 0..<3 { rig.camera.step() }
    let shown = viewer.frames.filter { $0.epoch > before.epoch }
    let wrong = shown.prefix { abs($0.luma - before.luma) >= 0.1 * before.luma }
    #expect(wrong.count == 1)
    let next = try #require(shown.dropFirst(wrong.count).first)
    #expect(
      next.discontinuity == "a photo of 640x480 was taken, and the first frames after it were not as before")
    #expect(shown.dropFirst(wrong.count).allSatisfy { abs($0.luma - before.luma) < 0.1 * before.luma })
  }

  /// What it forgets on the way back is set again before viewers see a frame.
  @Test func controlsThatAreForgottenOnTheWayBackAreAwaited() async throws {
    let (rig, viewer) = try await exposed()
    let before = try #require(viewer.frames.last)
    _ = try await photo(rig) {
      if await rig.device.run({ $0.photos.formatSwitch.hub != nil }) {
        rig.camera.starts(with: [ControlAssignment(.gain, .integer(2))])
      }
    }
    for _ in 0..<3 { rig.camera.step() }
    let shown = viewer.frames.filter { $0.epoch > before.epoch }
    #expect(shown.count >= 3 && shown[0].number > 5)
    #expect(shown.allSatisfy { abs($0.luma - before.luma) < 0.1 * before.luma }, "\(shown.map(\.luma))")
    #expect(Set(shown.map(\.discontinuity)) == ["a photo of 640x480 was taken"])
  }
}

extension StreamHub {
  /// Whether it starts again in another form, and no frame of that has come.
  fileprivate var isReconfigured: Bool { state.withLock { $0.reconfiguration != nil } }
}

/// What a viewer sees.
private final class Collector: FrameConsumer {
  struct Seen: Sendable {
    var number: UInt64
    var size: FrameSize
    var settings: FrameSettings?
    var luma: Double
    var epoch: UInt64
    var discontinuity: String?
  }
  private let seen = Mutex<[Seen]>([])
  var frames: [Seen] { seen.withLock { $0 } }
  var keepsStreamRunning: Bool { true }
  var holder: String { "viewer" }
  func wants(_ moment: FrameMoment) -> Bool { true }
  func streamEvent(_ event: StreamEvent) {}

  func take(_ taken: TakenFrame) -> NextFrame {
    let bytes = taken.frame.payload.bytes
    let sum = stride(from: 0, to: bytes.count, by: 2).reduce(0) { $0 + Int(bytes[$1]) }
    seen.withLock {
      $0.append(
        Seen(
          number: taken.frame.sequence, size: taken.frame.format.size, settings: taken.settings,
          luma: Double(sum) / Double(bytes.count / 2), epoch: taken.moment.epoch,
          discontinuity: taken.discontinuity?.reason))
    }
    return .stay
  }
}

/// Makes the first frames of each stream dark.
private final class DarkStart {
  private let camera: StagedCamera
  private let light: Double
  private var stream = 0
  private var frames = 0

  init(_ camera: StagedCamera, light: Double) { (self.camera, self.light) = (camera, light) }

  /// Before a frame of this stream.
  func next(in stream: Int) {
    if stream != self.stream { (self.stream, frames) = (stream, 0) }
    let missing = stream == 0 ? 0 : max(4 - frames, 0)
    frames += 1
    let now = light - Double(missing)
    camera.changeWorld { $0.light = now }
  }

  func end() {
    let light = light
    camera.changeWorld { $0.light = light }
  }
}
