import Capture3A
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A photo of full size while a small stream runs.
@Suite struct SwitchedPhotoTests {
  private static let fullHD = FrameSize(width: 1920, height: 1080)
  private static let vga = FrameSize(width: 640, height: 480)

  @Test func itIsLargerThanTheStreamWhichGoesOn() async throws {
    let rig = try await SwitchRig()
    rig.camera.emit()
    let photo = try await rig.photo()
    #expect(photo.picture.description.size == Self.fullHD)
    #expect(rig.size == Self.vga && rig.starts == 3)
    rig.camera.emit()
    await eventually("the viewer has a frame again") { rig.sink.received.last?.gap.discontinuity != nil }
    // What came meanwhile was for the photo alone.
    let received = rig.sink.received
    #expect(received.allSatisfy { $0.picture?.description.size == Self.vga && $0.interruption == nil })
    #expect(received.filter { $0.gap.discontinuity != nil }.count == 1)
    #expect(received.last?.gap.discontinuity?.kind == .reconfigured)
    #expect(received.last?.gap.discontinuity?.reason == "a photo of 1920x1080 was taken")
    await rig.device.unsubscribe(rig.subscription)
    #expect(rig.size == nil)
  }

  @Test func withoutThatNobodyIsDisturbed() async throws {
    let rig = try await SwitchRig()
    for policy in [nil, FullSize.stream] {
      var request = SwitchRig.large()
      request.fullSize = policy
      #expect(try await rig.photo(request).picture.description.size == Self.vga)
      request.formats[0].picture.size = Self.fullHD
      let error = await #expect(throws: CaptureError.self) { _ = try await rig.photo(request) }
      #expect(error?.code == .failedPrecondition && error?.details?.holder == "viewer")
    }
    #expect(rig.starts == 1)
  }

  @Test func whatTheStreamGivesIsTakenFromIt() async throws {
    let rig = try await SwitchRig(asking: .rawVGA)
    let small = FrameSize(width: 320, height: 240)
    #expect(try await rig.photo(SwitchRig.large(small)).picture.description.size == small)
    #expect(rig.starts == 1)
    await rig.device.unsubscribe(rig.subscription)
    _ = try await rig.device.subscribe(VideoRequest(size: Self.fullHD), sink: TestSink(), holder: "2")
    #expect(try await rig.photo().picture.description.size == Self.fullHD)
    #expect(rig.starts == 2)
  }

  @Test func aCameraWithOneSizeIsNotSwitched() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.mjpeg, ["640x480": [30]])])
    let rig = try await SwitchRig(camera)
    #expect(try await rig.photo().picture.description.size == Self.vga)
    #expect(rig.starts == 1)
    let error = await #expect(throws: CaptureError.self) {
      _ = try await rig.photo(SwitchRig.large(Self.fullHD))
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("640x480") == true)
    #expect(rig.starts == 1)
  }

  @Test func anIdleCameraIsStartedForIt() async throws {
    let rig = try await SwitchRig()
    await rig.device.unsubscribe(rig.subscription)
    #expect(try await rig.photo().picture.description.size == Self.fullHD)
    #expect(rig.starts == 2 && rig.size == nil)
  }

  /// Frames that come before the camera has settled are withheld; without pictures that can be measured these are four.
  @Test func viewersGetNoFrameUntilTheCameraHolds() async throws {
    let rig = try await SwitchRig()
    let photo = try await rig.photo(SwitchRig.large(settling: nil))
    #expect(photo.picture.description.sequence == UInt64(Settling.span) - 1)
    #expect(photo.picture.description.settling?.provenance == .assumed)
    #expect(rig.camera.state.withLock(\.sequence) == UInt64(Settling.span))
    let before = rig.sink.received
    #expect(before.allSatisfy { $0.gap.discontinuity == nil })
    rig.camera.emit()
    await eventually("it has a frame again") { rig.sink.received.count == before.count + 1 }
    #expect(rig.sink.received.last?.picture?.description.sequence == UInt64(Settling.span))
    // They are numbered, so they count as discarded: nothing is missing silently.
    #expect(rig.sink.received.last?.gap.discarded == UInt64(Settling.span))
  }

  @Test func aDamagedFrameIsNoPhoto() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    rig.camera.emit(bytes: [0xBA, 0, 0, 0, 0, 0])
    let photo = try await outcome {
      try await task.value
    } while: {
      await rig.step()
    }
    #expect(photo.picture.description.sequence == 1 && photo.picture.description.size == Self.fullHD)
    #expect(await rig.device.status().corrupt == 1)
  }

  @Test func twoTakeTurns() async throws {
    let rig = try await SwitchRig()
    let tasks = [rig.begin(), rig.begin()]
    let photos = try await outcome {
      [try await tasks[0].value, try await tasks[1].value]
    } while: {
      await rig.step()
    }
    #expect(photos.map(\.picture.description.size) == [Self.fullHD, Self.fullHD])
    #expect(rig.starts == 5 && rig.size == Self.vga)
  }

  @Test func whoSubscribesMeanwhileWaitsForTheStream() async throws {
    let rig = try await SwitchRig()
    let photo = await rig.switched()
    let next = Task { try await rig.device.subscribe(.rawVGA, sink: TestSink(), holder: "2") }
    await eventually("it waits") { await rig.device.gates.stream.waitingCount == 1 }
    _ = try await outcome {
      try await photo.value
    } while: {
      await rig.step()
    }
    // The stream is JPEG, as the first viewer's.
    let error = await #expect(throws: CaptureError.self) { _ = try await next.value }
    #expect(error?.details?.holder == "viewer")
  }

  @Test func itIsToldBeforeAndADryRunTellsTheSame() async throws {
    let rig = try await SwitchRig()
    let request = SwitchRig.large()
    let resolved = try await rig.device.run { try await $0.photos.resolve(request, on: $0) }
    #expect(resolved.files.map(\.size) == [Self.fullHD])
    #expect(rig.starts == 1)
  }

  // MARK: What goes with it

  @Test func itIsForOnePhotoOfTheNextFrame() async throws {
    let rig = try await SwitchRig()
    let request = SwitchRig.large()
    let refusals = [
      await refusal {
        try await rig.device.run {
          try await $0.photos.captureBracket(
            [.lensPosition(0)], request, on: $0, progress: { _ in }, deliver: { _ in })
        }
      },
      await refusal {
        try await rig.device.run {
          try await $0.photos.captureBurst(
            3, request, on: $0, requested: 0, progress: { _ in }, deliver: { _ in })
        }
      },
      await refusal {
        try await rig.device.run {
          _ = try await $0.photos.capture(request, at: .now, on: $0, requested: 0) { _ in }
        }
      },
    ]
    #expect(refusals.map { $0?.code } == [.invalidArgument, .invalidArgument, .invalidArgument])
    #expect(
      refusals.map { $0?.details?.field } == ["settings.bracket", "settings.burst", PhotoTime.field])
    let advice = ["the bracket", "the burst", "when"].map { "leave out full_size or \($0)" }
    #expect(zip(refusals, advice).allSatisfy { $0?.message.hasSuffix($1) == true })
    var lit = request
    lit.frame.flash = .on
    let error = await refusal { [lit] in _ = try await rig.photo(lit) }
    #expect(error?.code == .invalidArgument && error?.details?.field == "settings.flash")
    #expect(rig.starts == 1)
  }

  // MARK: A session

  @Test func aSessionsOutputDoesTheSame() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    let configuration = SessionConfiguration.of("0", .rawVGA)
    _ = try await engine.configureSession("door", configuration, starts: true, owner: someone)
    let session = try await engine.session("door")
    let sink = TestSink()
    _ = try await session.subscribe(VideoRequest(), output: "video", sink: sink, holder: "1")
    let request = SwitchRig.large()
    let device = try engine.device("0")
    let photo = try await outcome {
      try await session.capturePhoto(request, output: "photo", requested: 0) { _ in }
    } while: {
      if await device.isPhotoAwaited { camera.emit() }
    }
    #expect(photo.picture.description.size == Self.fullHD)
    #expect(camera.state.withLock { $0.stream?.size } == Self.vga)
    #expect(await session.status().activeFormats.map { $0?.size } == [Self.vga])
    camera.emit()
    await eventually("its viewer has a frame again") { sink.received.last?.gap.discontinuity != nil }
    // The camera is the session's; nobody else has photos of it.
    let error = await refusal {
      try await device.run { _ = try await $0.photos.capture(request, on: $0, requested: 0) { _ in } }
    }
    #expect(error?.details?.reason == .heldBySession)
  }
}
