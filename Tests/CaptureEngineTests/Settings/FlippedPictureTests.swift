import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

/// Points of interest lie in the sensor's own upright frame, also where the driver mirrors what it gives.
@Suite(.timeLimit(.minutes(1))) struct FlippedPictureTests {
  private static func flip(_ id: ControlID, _ name: String) -> ControlDescription {
    ControlDescription(id: id, name: name, label: name, type: .boolean, maximum: 1)
  }

  private func camera() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock { state in
      state.controls = [
        Self.flip(.horizontalFlip, "horizontal_flip"), Self.flip(.verticalFlip, "vertical_flip"),
        ControlDescription(
          id: .exposureAbsolute, name: "exposure_time_absolute", label: "Exposure", type: .integer,
          minimum: 1, maximum: 300, step: 1, defaultValue: 100),
      ]
    }
    return camera
  }

  @Test func framesTellHowTheyAreMirroredFromTheOneThatIsNamed() async throws {
    let camera = camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.emit()
    await eventually("the first came") { sink.received.count == 1 }
    #expect(sink.received[0].picture?.description.view == .identity)

    let set = try await device.set(
      [NamedAssignment(name: "horizontal_flip", value: .value(.integer(1)))], clamping: false)
    for _ in 0..<4 { camera.emit() }
    let first = try #require(try await device.awaitChange(set.change).frame).sequence
    await eventually("the others came") { sink.received.last?.picture?.description.sequence == 4 }
    let (left, right) = (try NormalizedPoint(x: 0.1, y: 0.2), try NormalizedPoint(x: 0.9, y: 0.2))
    for picture in sink.received.compactMap(\.picture) {
      let isFlipped = picture.description.sequence >= first
      let seen = picture.description.view.devicePoint(forPicturePoint: left)
      #expect(seen == (isFlipped ? right : left), "\(picture.description.sequence)")
    }

    // By another program, and both ways.
    await eventually("it is observed") { camera.isObserved }
    camera.state.withLock { $0.values[.verticalFlip] = .integer(1) }
    camera.announce(ControlChange(id: .verticalFlip, value: .integer(1), flags: []))
    await eventually("it is seen") {
      camera.emit()
      let view = sink.received.last?.picture?.description.view
      return view == PictureTransform(orientation: .upsideDown)
    }
  }

  @Test func aPointIsMeteredWhereItsThingIs() async throws {
    // What is bright is on the left of the picture.
    let picture: [UInt8] = (0..<480).flatMap { _ in
      (0..<640).flatMap { x in [x < 320 ? 220 : 20, 128] as [UInt8] }
    }
    for isFlipped in [false, true] {
      let camera = camera()
      let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
      await engine.attach(FakeProvider([camera]))
      let device = try engine.device("0")
      let flip = NamedAssignment(name: "horizontal_flip", value: .value(.integer(isFlipped ? 1 : 0)))
      _ = try await device.set([flip], clamping: false)
      let sink = TestSink()
      _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
      var change = SettingsChange()
      change.exposure = .init(mode: .continuous, point: try NormalizedPoint(x: 0.1, y: 0.5))
      _ = try await device.set(change)
      // Too bright there, or too dark.
      await eventually("it is set") {
        camera.emit(bytes: picture)
        return camera.state.withLock { $0.assignments.contains { $0.id == .exposureAbsolute } }
      }
      let set = camera.state.withLock { $0.assignments.first { $0.id == .exposureAbsolute }?.value.number }
      let number = try #require(set)
      #expect(isFlipped ? number > 100 : number < 100, "flipped \(isFlipped): \(number)")
    }
  }
}
