import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Photos of a stream that runs in a larger format for them.
@Suite struct LargerPhotoTests {
  private static let fullHD = FrameSize(width: 1920, height: 1080)
  private static let vga = FrameSize(width: 640, height: 480)

  /// `timeLarge`: how long the stream stays large after the last photo.
  private func rig(
    asking request: VideoRequest = SwitchRig.small, timeLarge: Duration = .seconds(3600)
  ) async throws -> SwitchRig {
    let rig = try await SwitchRig(asking: request, imaging: .decoding)
    await rig.device.run { $0.photos.largerStream.setTimeLarge(timeLarge) }
    return rig
  }

  private static func big(_ size: FrameSize? = nil) -> PhotoRequest { SwitchRig.of(.big, size) }

  /// A frame comes, and `sink` has its picture.
  private func frame(_ rig: SwitchRig, for sink: TestSink) async -> TestSink.Received? {
    let count = sink.received.count
    rig.camera.emit()
    await eventually("the viewer has a frame") { sink.received.count > count }
    return sink.received.last
  }

  // MARK: Those who watch

  @Test func theyKeepTheirSizeAndFurtherPhotosTakeNothingFromThem() async throws {
    let rig = try await rig()
    // As it comes from the camera.
    let before = await frame(rig, for: rig.sink)
    #expect(before?.picture?.payload.count != 1)
    #expect(try await rig.photo(Self.big()).picture.description.size == Self.fullHD)
    #expect(rig.size == Self.fullHD && rig.starts == 2)
    _ = await frame(rig, for: rig.sink)
    let first = rig.sink.received.first { $0.gap.discontinuity != nil }
    // Made by the encoder, which writes the quality.
    #expect(first?.picture?.payload.bytes.map { $0 } == [80])
    #expect(first?.picture?.description.size == Self.vga)
    #expect(first?.gap.discontinuity?.kind == .reconfigured)
    #expect(
      first?.gap.discontinuity?.reason
        == "the camera runs in 1920x1080 at 30 fps now, for photos of that size")
    #expect(try await rig.photo(Self.big()).picture.description.size == Self.fullHD)
    _ = await frame(rig, for: rig.sink)
    #expect(rig.starts == 2)
    #expect(rig.sink.received.filter { $0.gap.discontinuity != nil }.count == 1)
    #expect(rig.sink.received.allSatisfy { $0.picture?.description.size == Self.vga })
  }

  @Test func itGoesBackWhenNoPhotoHasAskedForAWhile() async throws {
    let rig = try await rig(timeLarge: .milliseconds(20))
    _ = try await rig.photo(Self.big())
    await eventually("it goes back") {
      await rig.step()
      return await rig.isBack
    }
    let last = await frame(rig, for: rig.sink)
    #expect(last?.picture?.payload.count != 1 && last?.picture?.description.size == Self.vga)
    #expect(last?.gap.discontinuity?.reason == "the camera runs in 640x480 at 30 fps again")
    #expect(await rig.device.stream?.viewed == nil)
    #expect(rig.starts == 3)
  }

  /// Others' photos of the stream as it is, too, which a change of its format would interrupt.
  @Test(arguments: [FullSize.big, .stream]) func aPhotoThatIsBeingTakenKeepsItLarge(of fullSize: FullSize)
    async throws
  {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    let task = rig.begin(SwitchRig.of(fullSize))
    await eventually("it waits for its frame") { await rig.device.isPhotoAwaited }
    await rig.device.run { await $0.photos.largerStream.shrink(on: $0) }
    #expect(rig.size == Self.fullHD)
    rig.camera.emit()
    #expect(try await task.value.picture.description.size == Self.fullHD)
  }

  /// As where the bandwidth is too small for it: the camera starts, and no frame comes.
  @Test func aLargeFormatThatGivesNoFrameIsGivenUp() async throws {
    let rig = try await rig()
    let task = rig.begin(Self.big())
    await eventually("it is large, and a frame is awaited") {
      let isAwaited = await rig.device.isPhotoAwaited
      if rig.size == Self.vga { await rig.step() }
      return isAwaited && rig.size == Self.fullHD
    }
    await rig.failAwaited()
    await eventually("it is as before") {
      if rig.size == Self.vga { await rig.step() }
      return await rig.isBack
    }
    #expect(await refusal { _ = try await task.value }?.message == "no frame")
    #expect(rig.starts == 3)
    #expect(await frame(rig, for: rig.sink)?.picture?.description.size == Self.vga)
  }

  @Test func itGoesBackAlsoWhereNoFramesComeAnyMore() async throws {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    await rig.device.run { $0.stream?.hub.streamEvent(.interrupted(reason: "no frames come")) }
    let shrinking = Task { [device = rig.device] in
      await device.run { await $0.photos.largerStream.shrink(on: $0) }
    }
    await eventually("it goes back") {
      if rig.size == Self.vga { await rig.step() }
      return await rig.isBack
    }
    await shrinking.value
    #expect(await frame(rig, for: rig.sink)?.picture?.description.size == Self.vga)
  }

  @Test func whoSubscribesWhileTheCameraIsCalibratedDoesNotWaitForTheWayBack() async throws {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    let isBegun = Mutex(false)
    // As a calibration does.
    let calibration = Task { [device = rig.device] in
      try await device.run { device in
        try await device.gates.flash.enter()
        defer { device.gates.flash.leave() }
        isBegun.withLock { $0 = true }
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      }
    }
    await eventually("it is begun") { isBegun.withLock { $0 } }
    await rig.device.run { await $0.photos.largerStream.shrink(on: $0) }
    _ = try await rig.device.subscribe(VideoRequest(), sink: TestSink(), holder: "2")
    #expect(rig.size == Self.fullHD)
    calibration.cancel()
    try await calibration.value
  }

  @Test func whatIsNoBurstWithFlashLeavesTheStreamAlone() async throws {
    let rig = try await rig()
    var request = Self.big()
    request.frame.flash = .on
    let error = await refusal { [request] in
      try await rig.device.run {
        try await $0.photos.captureBurst(3, request, on: $0, requested: 0) { _ in
        } deliver: { _ in
        }
      }
    }
    #expect(error?.code == .invalidArgument)
    #expect(rig.starts == 1 && rig.size == Self.vga)
  }

  @Test func whoComesMeanwhileHasWhatTheSmallStreamGives() async throws {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    let (same, other) = (TestSink(), TestSink())
    _ = try await rig.device.subscribe(VideoRequest(), sink: same, holder: "2")
    _ = try await rig.device.subscribe(
      VideoRequest(size: FrameSize(width: 320, height: 240), quality: 55), sink: other, holder: "3")
    let known = rig.sink.received.count
    _ = await frame(rig, for: other)
    await eventually("the others have it too") {
      !same.received.isEmpty && rig.sink.received.count > known
    }
    #expect(same.received.last?.picture?.description.size == Self.vga)
    #expect(other.received.last?.picture?.description.size == FrameSize(width: 320, height: 240))
    #expect(other.received.last?.picture?.payload.bytes.map { $0 } == [55])
    // The same picture for both of the same form.
    #expect(same.received.last?.picture === rig.sink.received.last?.picture)
    let error = await refusal {
      _ = try await rig.device.subscribe(VideoRequest(size: Self.fullHD), sink: TestSink(), holder: "4")
    }
    #expect(error?.code == .failedPrecondition && error?.message.contains("640x480") == true)
  }

  /// YUYV frames cannot be made of larger ones.
  @Test func rawFramesThatCannotBeScaledAreNamed() async throws {
    let rig = try await rig(asking: .rawVGA)
    let refusals = [
      await refusal { _ = try await rig.photo(Self.big()) },
      await refusal {
        try await rig.device.run { _ = try await $0.photos.resolve(Self.big(), on: $0) }
      },
    ]
    for error in refusals {
      #expect(error?.code == .failedPrecondition && error?.details?.holder == "viewer")
      #expect(error?.message.contains("cannot run in 1920x1080 beside viewer: raw YUYV") == true)
    }
    #expect(rig.starts == 1 && rig.size == Self.vga)
  }

  @Test func rawFramesThatCanBeConvertedAre() async throws {
    let grey = VideoRequest(encoding: .raw, pixelFormat: .grey, size: Self.vga)
    let rig = try await rig(asking: grey)
    _ = try await rig.photo(Self.big())
    let picture = await frame(rig, for: rig.sink)?.picture
    #expect(picture?.description.size == Self.vga && picture?.payload.bytes.map { $0 } == [7])
  }

  // MARK: The photo

  @Test func aCameraWhoseStreamIsAsLargeStaysAsItIs() async throws {
    let rig = try await rig(asking: VideoRequest(size: Self.fullHD))
    #expect(try await rig.photo(Self.big()).picture.description.size == Self.fullHD)
    #expect(rig.starts == 1)
    #expect(await rig.device.stream?.viewed == nil)
  }

  @Test func aSizeOfItsOwnIsThatOfTheStreamToo() async throws {
    let rig = try await rig()
    let size = FrameSize(width: 1280, height: 720)
    #expect(try await rig.photo(Self.big(size)).picture.description.size == size)
    #expect(rig.size == size)
    // A larger one follows it.
    #expect(try await rig.photo(Self.big()).picture.description.size == Self.fullHD)
    #expect(await frame(rig, for: rig.sink)?.picture?.description.size == Self.vga)
    #expect(await rig.device.stream?.viewed?.size == Self.vga)
  }

  /// The stream of a photo of an idle camera goes on for the viewers who have joined it, but the next photo has its turn before.
  @Test func aSmallPhotoBeforeItDoesNotMakeItSmall() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera, imaging: .decoding).device("0")
    let small = Task { try await device.capturePhoto(SwitchRig.small, requested: 0) { _ in } }
    await eventually("it waits for its frame") { await device.isPhotoAwaited }
    let sink = TestSink()
    let subscription = try await device.subscribe(SwitchRig.small, sink: sink, holder: "viewer")
    let big = Task {
      try await device.run { try await $0.photos.capture(Self.big(), on: $0, requested: 0) { _ in } }
    }
    await eventually("it waits for its turn") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    #expect(try await small.value.description.size == Self.vga)
    let photo = try await outcome {
      try await big.value
    } while: {
      if await device.isPhotoAwaited { camera.emit() }
    }
    #expect(photo.picture.description.size == Self.fullHD)
    await eventually("the viewer has frames again") {
      camera.emit()
      return sink.received.last?.gap.discontinuity != nil || sink.received.count > 2
    }
    #expect(sink.received.allSatisfy { $0.picture?.description.size == Self.vga })
    #expect(await device.stream?.viewed?.size == Self.vga)
    await device.unsubscribe(subscription)
  }

  @Test func aBurstIsOfThatSize() async throws {
    let rig = try await rig()
    let sizes = try await outcome {
      let sizes = Collected()
      try await rig.device.run {
        try await $0.photos.captureBurst(
          3, Self.big(), on: $0, requested: 0, progress: { _ in },
          deliver: { sizes.append($0.photo.picture.description.size) })
      }
      return sizes.all
    } while: {
      let isAwaited = await rig.device.stream?.hub.consumers.contains { $0 is BurstConsumer } == true
      if await rig.device.isPhotoAwaited || isAwaited { rig.camera.emit() }
    }
    #expect(sizes == [Self.fullHD, Self.fullHD, Self.fullHD])
    #expect(rig.starts == 2)
  }

  @Test func anotherMomentIsRefused() async throws {
    let rig = try await rig()
    let error = await refusal {
      try await rig.device.run {
        _ = try await $0.photos.capture(Self.big(), at: .now, on: $0, requested: 0) { _ in }
      }
    }
    #expect(error?.code == .invalidArgument && error?.details?.field == PhotoTime.field)
    #expect(rig.starts == 1)
  }

  @Test func aDryRunTellsTheSizeAndChangesNothing() async throws {
    let rig = try await rig()
    let resolved = try await rig.device.run { try await $0.photos.resolve(Self.big(), on: $0) }
    #expect(resolved.files.map(\.size) == [Self.fullHD])
    #expect(rig.starts == 1)
  }

  // MARK: However it ends

  @Test func whereTheCameraRefusesTheFormatTheStreamGoesOn() async throws {
    let rig = try await rig()
    rig.camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    let error = await refusal { _ = try await rig.photo(Self.big()) }
    #expect(error?.code == .resourceExhausted && error?.message.contains("no bandwidth") == true)
    #expect(rig.size == Self.vga)
    let next = await frame(rig, for: rig.sink)
    #expect(next?.picture?.payload.count != 1 && next?.gap.discontinuity != nil)
    #expect(await rig.device.stream?.viewed == nil)
  }

  @Test func whereTheCameraGivesAnotherSizeTheStreamGoesOn() async throws {
    let rig = try await rig()
    #expect(await rig.refusalOfAnotherSize(Self.big())?.code == .invalidArgument)
    #expect(rig.size == Self.vga)
    #expect(await frame(rig, for: rig.sink)?.picture?.description.size == Self.vga)
  }

  @Test func aClientThatLeavesInTheMiddleLeavesItLargeForAWhile() async throws {
    let rig = try await rig(timeLarge: .milliseconds(20))
    rig.camera.state.withLock { $0.holdsStarting = true }
    let task = rig.begin(Self.big())
    await eventually("it is being changed") {
      await rig.step()
      return rig.camera.isHolding
    }
    task.cancel()
    rig.camera.releaseStart()
    await eventually("it was large, and is back") {
      await rig.step()
      return rig.starts >= 3 ? await rig.isBack : false
    }
    let end = await refusal { _ = try await task.value }
    #expect(end?.code == .cancelled, "\(String(describing: end))")
    #expect(await frame(rig, for: rig.sink)?.picture?.description.size == Self.vga)
  }

  @Test func anUnpluggedCameraReturnsInTheViewersFormat() async throws {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    rig.provider.unplug(rig.camera)
    #expect(
      await refusal { try await rig.subscription.waitUntilEnded() }?.details?.reason == .cameraUnplugged)
    await rig.device.unsubscribe(rig.subscription)
    rig.provider.plug(FakeCamera())
    await eventually("it is back") { await rig.device.camera != nil }
    let subscription = try await rig.device.subscribe(VideoRequest(), sink: TestSink(), holder: "2")
    #expect(await rig.device.stream?.format.size == Self.vga)
    await rig.device.unsubscribe(subscription)
  }

  @Test func whenTheLastViewerLeavesItStops() async throws {
    let rig = try await rig()
    _ = try await rig.photo(Self.big())
    await rig.device.unsubscribe(rig.subscription)
    #expect(rig.size == nil)
    _ = try await rig.device.subscribe(SwitchRig.small, sink: TestSink(), holder: "2")
    #expect(rig.size == Self.vga)
  }

  @Test func aSessionsViewersKeepTheirFormat() async throws {
    let camera = FakeCamera()
    let engine = CaptureEngine(imaging: .decoding)
    await engine.attach(FakeProvider([camera]))
    let configuration = SessionConfiguration.of("0", ActiveFormat(pixelFormat: .mjpeg, size: Self.vga))
    _ = try await engine.configureSession("door", configuration, starts: true, owner: someone)
    let session = try await engine.session("door")
    let sink = TestSink()
    _ = try await session.subscribe(VideoRequest(), output: "video", sink: sink, holder: "1")
    let device = try engine.device("0")
    let photo = try await outcome {
      try await session.capturePhoto(Self.big(), output: "photo", requested: 0) { _ in }
    } while: {
      if await device.isPhotoAwaited { camera.emit() }
    }
    #expect(photo.picture.description.size == Self.fullHD)
    #expect(camera.state.withLock { $0.stream?.size } == Self.fullHD)
    #expect(await session.status().activeFormats.map { $0?.size } == [Self.vga])
    camera.emit()
    await eventually("its viewer has a frame again") {
      sink.received.contains { $0.gap.discontinuity != nil }
    }
    #expect(sink.received.last?.picture?.description.size == Self.vga)
  }
}

/// The sizes of photos, in their order.
private final class Collected: Sendable {
  private let sizes = Mutex<[FrameSize]>([])
  var all: [FrameSize] { sizes.withLock { $0 } }
  func append(_ size: FrameSize) { sizes.withLock { $0.append(size) } }
}

extension Imaging {
  /// As ``fake(permits:counts:)``, which decodes JPEGs too.
  fileprivate static var decoding: Imaging {
    var imaging = Imaging.fake()
    imaging.isEncodable = { $0 == .yuyv || $0.isJPEG }
    return imaging
  }
}

extension SwitchRig {
  /// No frame comes for those who wait for one.
  fileprivate func failAwaited() async {
    await device.run {
      for case let consumer as PhotoConsumer in $0.stream?.hub.consumers ?? [] {
        consumer.fail(CaptureError(.unavailable, "no frame"))
      }
    }
  }

  /// Whether viewers have frames in the format of their stream.
  fileprivate var isBack: Bool {
    get async {
      await device.run { [size] in
        size?.width == 640 && $0.stream?.viewed == nil && $0.stream?.hub.isWithholding == false
      }
    }
  }
}
