import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DigitalZoomTests {
  private static func zoom(_ factor: Double, rate: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.zoom = .init(factor: factor, rate: rate)
    return change
  }

  /// Bright in its middle, a quarter of the picture; dark around that.
  private static let picture: [UInt8] = (0..<480).flatMap { y in
    (0..<640).flatMap { x in
      [160..<480 ~= x && 120..<360 ~= y ? 200 : 20, 128] as [UInt8]
    }
  }

  private func corner(_ picture: Picture?) -> UInt8? { picture?.payload.segments.first?[10 * 1280 + 20] }

  @Test func framesAreCutFromTheOneThatIsNamed() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera, imaging: .standard).device("0")
    #expect(try await device.settingsDescription().zoom == .init(maximum: 8, kind: .digital))
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.emit(bytes: Self.picture)
    await eventually("the first came") { sink.received.count == 1 }
    #expect(corner(sink.received.last?.picture) == 20)

    let set = try await device.set(Self.zoom(2.5))
    #expect(set.settings.zoom?.factor == Observed(2.5, .reported))
    for _ in 0..<3 { camera.emit(bytes: Self.picture) }
    let applied = try await device.awaitChange(set.change)
    #expect(applied.provenance == .reported)
    await eventually("the others came") { sink.received.last?.picture?.description.sequence == 3 }
    for received in sink.received {
      let picture = try #require(received.picture)
      let isCut = picture.description.sequence >= applied.frame!.sequence
      #expect(corner(picture) == (isCut ? 200 : 20))
      #expect(picture.description.settings?.zoomFactor == Observed(isCut ? 2.5 : 1, .reported))
      #expect(picture.description.view == .zoomed(isCut ? 2.5 : 1))
      #expect(picture.description.size == FrameSize(width: 640, height: 480))
    }
    // A photo is cut too.
    let photo = try await device.capturePhoto(.rawVGA, requested: 0) { progress in
      if case .willCapture = progress { camera.emit(bytes: Self.picture) }
    }
    #expect(corner(photo) == 200)

    _ = try await device.set(Self.zoom(1))
    camera.emit(bytes: Self.picture)
    await eventually("it is whole again") { self.corner(sink.received.last?.picture) == 20 }
  }

  @Test func whatCannotBeCutComesWhole() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(
      VideoRequest(pixelFormat: .mjpeg, size: FrameSize(width: 640, height: 480)), sink: sink, holder: "1")
    _ = try await device.set(Self.zoom(2))
    camera.emit()
    await eventually("it came") { sink.received.count == 1 }
    #expect(sink.received[0].picture?.payload.count == 64)
    #expect(sink.received[0].picture?.description.settings?.zoomFactor?.value == 1)
  }

  @Test func factorsOutOfRangeAreRefusedAndRampsArrive() async throws {
    let device = try await engine(FakeCamera()).device("0")
    let error = await refusal { _ = try await device.set(Self.zoom(9)) }
    #expect(error?.message == "zoom.factor cannot be 9: 'fake-0' takes 1 to 8")
    #expect(await refusal { _ = try await device.set(Self.zoom(0.5)) }?.code == .invalidArgument)
    #expect(try await device.set(Self.zoom(99), clamping: true).settings.zoom?.factor.value == 8)
    let begun = try await device.set(Self.zoom(2, rate: 40))
    #expect(begun.settings.zoom?.isRamping == true)
    await eventually("it arrives") { await device.knownSettings()?.zoom?.factor.value == 2 }
    await eventually("it ends") { await device.knownSettings()?.zoom?.isRamping == false }
  }

  @Test func theFactorOutlivesTheNode() async throws {
    let store = TestStore()
    for factor in [1.0, 3] {
      let engine = CaptureEngine(imaging: .fake(), store: store)
      await engine.attach(FakeProvider([FakeCamera()]))
      let device = try engine.device("0")
      #expect(try await device.settings().zoom?.factor.value == factor)
      _ = try await device.set(Self.zoom(3))
    }
  }
}
