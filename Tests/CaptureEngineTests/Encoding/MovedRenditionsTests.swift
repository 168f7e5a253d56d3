import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// The different pictures of a stream that goes on in another format.
@Suite struct MovedRenditionsTests {
  private static let hd = FrameSize(width: 1280, height: 720)
  private static let fullHD = FrameSize(width: 1920, height: 1080)
  private static let most = NodeLimit.renditionsPerConnection.usual

  private struct Viewer {
    let sink = TestSink()
    let subscription: FrameSubscription

    init(_ request: VideoRequest, of device: Device, _ holder: String) async throws {
      subscription = try await device.subscribe(request, sink: sink, holder: holder)
    }

    /// Why it has no more frames; `nil`: it goes on.
    var end: CaptureError? {
      get async {
        let wait = Task { [subscription] in try await subscription.waitUntilEnded() }
        wait.cancel()
        return await refusal { try await wait.value }
      }
    }
  }

  /// A capture card with a source of 1280x720.
  private static func card() -> FakeCamera {
    let formats = [FakeCamera.format(.yuyv, ["1280x720": [60]])]
    let camera = FakeCamera(formats: formats)
    camera.state.withLock { state in
      state.inputs = [InputStateTests.hdmi()]
      state.formatsOfSignals = [
        .hd: formats, .fullHD: [FakeCamera.format(.yuyv, ["1920x1080": [50]])],
      ]
    }
    return camera
  }

  /// All of 1280x720 is 1280x720 for it, and 1920x1080 is another size for each number.
  private static func growing(_ number: Int) -> VideoRequest {
    VideoRequest(size: FrameSize(width: 1280 + 16 * number, height: 720 + 9 * number), gravity: .aspect)
  }

  /// The source of the card changes, and its stream goes on.
  private func change(_ camera: FakeCamera, to signal: InputSignal, _ size: FrameSize) async {
    camera.changeInput(isOfSource: true) { $0.detected = signal }
    await streams(camera, size)
  }

  private func streams(_ camera: FakeCamera, _ size: FrameSize) async {
    await eventually("it streams \(size)") { camera.state.withLock { $0.stream?.size } == size }
  }

  /// Frames of the camera come to all of them.
  private func serves(_ camera: FakeCamera, _ viewers: [Viewer]) async {
    let known = viewers.map(\.sink.received.count)
    await eventually("all have a frame") {
      camera.emit()
      return zip(viewers, known).allSatisfy { $0.sink.received.count > $1 }
    }
  }

  @Test func aSourceThatGrowsMakesNoMoreForOneConnection() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var viewers: [Viewer] = []
    for number in 1...20 { viewers.append(try await Viewer(Self.growing(number), of: device, "client 1")) }
    // What counts for nobody.
    let usual = try await Viewer(VideoRequest(), of: device, "client 1")
    let raw = try await Viewer(VideoRequest(encoding: .raw, pixelFormat: .yuyv), of: device, "client 1")
    await change(camera, to: .fullHD, Self.fullHD)
    await eventually("those that are too many have ended") {
      await device.status().subscribers == Self.most + 2
    }
    for late in viewers[Self.most...] {
      let end = await late.end
      #expect(end?.code == .resourceExhausted && end?.details?.limit == "renditionsPerConnection")
    }
    await serves(camera, viewers[..<Self.most] + [usual, raw])
    #expect(usual.sink.received.last?.picture?.description.size == Self.fullHD)
    // Its places are taken.
    let more = await refusal { _ = try await Viewer(Self.growing(30), of: device, "client 1") }
    #expect(more?.details?.limit == "renditionsPerConnection")
    await device.unsubscribe(viewers[0].subscription)
    _ = try await Viewer(Self.growing(30), of: device, "client 1")
  }

  @Test func thoseWhoCameFirstKeepTheirPicturesOfACameraThatMakesNoMore() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var viewers = [try await Viewer(Self.growing(1), of: device, "client 1")]
    // Its picture has been one of its own all the time.
    viewers.append(try await Viewer(VideoRequest(quality: 50), of: device, "client 3"))
    for number in 2...16 {
      let holder = number <= Self.most ? "client 1" : "client 2"
      viewers.append(try await Viewer(Self.growing(number), of: device, holder))
    }
    // It has one of theirs.
    viewers.append(try await Viewer(Self.growing(1), of: device, "client 4"))
    await change(camera, to: .fullHD, Self.fullHD)
    await eventually("one of them has ended") { await device.status().subscribers == viewers.count - 1 }
    let end = await viewers.remove(at: 16).end
    #expect(end?.code == .resourceExhausted && end?.details?.limit == "renditionsPerCamera")
    await serves(camera, viewers)
  }

  @Test func whoeverHasAsManyAsMayBeKeepsThemAll() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var viewers: [Viewer] = []
    for quality in 1...2 * Self.most {
      let holder = quality <= Self.most ? "client 1" : "client 2"
      // Two share each picture: it is made for the second one until that has moved, too.
      for _ in 1...2 { viewers.append(try await Viewer(VideoRequest(quality: quality), of: device, holder)) }
    }
    viewers.append(try await Viewer(VideoRequest(), of: device, "client 1"))
    viewers.append(try await Viewer(VideoRequest(encoding: .raw), of: device, "client 1"))
    for (signal, size) in [(InputSignal.fullHD, Self.fullHD), (.hd, Self.hd)] {
      await change(camera, to: signal, size)
      for viewer in viewers { #expect(await viewer.end == nil) }
      #expect(await device.status().subscribers == viewers.count)
      await serves(camera, viewers)
      for viewer in viewers { #expect(viewer.sink.received.last?.picture?.description.size == size) }
    }
  }

  /// Starts an idle camera for something else. Whoever comes has pictures of that stream until it goes on.
  private func startTemporary(_ size: FrameSize, _ device: Device) async throws -> StreamKeeper {
    let keeper = StreamKeeper()
    try await device.run { device in
      try await device.temporaryStreams.enter()
      try await device.gates.stream.enter()
      defer { device.gates.stream.leave() }
      let stream = try await device.start(
        VideoRequest(size: size), .photo, for: StreamUse(temporary: "burst"))
      try stream.hub.join(keeper)
    }
    return keeper
  }

  private func goOn(_ keeper: StreamKeeper, _ device: Device) async {
    await device.run { device in
      device.stream?.hub.leave(keeper)
      device.temporaryStreams.leave()
      device.temporaryStreams.scheduleContinuing()
    }
  }

  /// The first one has the whole 1280x720 when the stream goes on for it, and the others have different pictures then.
  private func growingViewers(of device: Device) async throws -> [Viewer] {
    var viewers: [Viewer] = []
    for width in [1280] + (0..<20).map({ 642 + 2 * $0 }) {
      let size = FrameSize(width: width, height: width == 1280 ? 720 : 480)
      viewers.append(try await Viewer(VideoRequest(size: size, gravity: .aspect), of: device, "client 1"))
    }
    return viewers
  }

  @Test func aStreamThatGoesOnForItsSubscribersMakesNoMoreEither() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["640x480": [30], "1280x720": [30]])])
    let device = try await engine(camera).device("0")
    let keeper = try await startTemporary(FrameSize(width: 640, height: 480), device)
    let viewers = try await growingViewers(of: device)
    await goOn(keeper, device)
    await streams(camera, Self.hd)
    // The first one has the usual picture, which does not count.
    await eventually("those that are too many have ended") {
      await device.status().subscribers == Self.most + 1
    }
    for late in viewers[(Self.most + 1)...] {
      let end = await late.end
      #expect(end?.code == .resourceExhausted && end?.details?.limit == "renditionsPerConnection")
    }
    await serves(camera, Array(viewers[...Self.most]))
  }

  @Test func nobodyEndsForAFormatThatTheDriverRefuses() async throws {
    let small = FrameSize(width: 640, height: 480)
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["640x480": [30], "1280x720": [30]])])
    let device = try await engine(camera).device("0")
    let keeper = try await startTemporary(small, device)
    var viewers = try await growingViewers(of: device)
    await serves(camera, viewers)
    let sizes = viewers.map { $0.sink.received.last?.picture?.description.size }
    camera.state.withLock { $0.holdsStarting = true }
    await goOn(keeper, device)
    await eventually("the driver is asked for it") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    #expect(await device.status().subscribers == viewers.count)
    // One of those that would be too many leaves by itself, and is not brought back.
    let leaver = viewers.removeLast()
    let leaving = Task { await device.unsubscribe(leaver.subscription) }
    await eventually("it has left") { await device.status().subscribers == viewers.count }
    camera.releaseStart(failing: CaptureError(.invalidArgument, "no such format"))
    await leaving.value
    await streams(camera, small)
    await serves(camera, viewers)
    for viewer in viewers { #expect(await viewer.end == nil) }
    #expect(viewers.map { $0.sink.received.last?.picture?.description.size } == sizes.dropLast())
    #expect(await device.status().subscribers == viewers.count)
  }

  @Test func whoeverIsTooManyHearsOfAStreamThatEndsInsteadThatItHasEnded() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var viewers: [Viewer] = []
    for number in 1...Self.most + 1 {
      viewers.append(try await Viewer(Self.growing(number), of: device, "client 1"))
    }
    camera.state.withLock { $0.startError = CaptureError(.unavailable, "the link is severed") }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    await eventually("the stream has ended") { await device.status().format == nil }
    for viewer in viewers { #expect(await viewer.end?.message.contains("the link is severed") == true) }
  }

  /// It is as large as the format that the driver refuses, which is no reason to have the whole picture.
  @Test func whoeverAskedForASmallerPictureKeepsItWhereTheDriverRefusesThatFormat() async throws {
    let half = FrameSize(width: 640, height: 360)
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["640x360": [30], "1280x720": [30]])])
    let device = try await engine(camera).device("0")
    let keeper = try await startTemporary(Self.hd, device)
    let viewer = try await Viewer(VideoRequest(size: half), of: device, "client 1")
    camera.state.withLock { $0.holdsStarting = true }
    await goOn(keeper, device)
    await eventually("the driver is asked for it") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    camera.releaseStart(failing: CaptureError(.invalidArgument, "no such format"))
    await streams(camera, Self.hd)
    await serves(camera, [viewer])
    #expect(viewer.sink.received.last?.picture?.description.size == half)
  }
}
