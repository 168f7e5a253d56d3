import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SessionInterruptionTests {
  private struct Door {
    let camera = FakeCamera("a")
    let provider: FakeProvider
    let engine: CaptureEngine
    let session: Session
    let watch: SessionWatch
    let sink = TestSink()
    let viewer: SessionSubscription

    init() async throws {
      provider = FakeProvider([camera])
      engine = CaptureEngine(imaging: .fake())
      await engine.attach(provider)
      _ = try await engine.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
      session = try await engine.session("door")
      watch = try await session.watch()
      _ = await watch.next()
      viewer = try await session.subscribe(.rawVGA, output: "", sink: sink, holder: "1")
      camera.emit()
    }

    /// What photos of the session are refused with: of the next frame, and of the present one.
    func refusalsOfPhotos() async -> [CaptureError?] {
      let request = PhotoRequest(VideoRequest())
      let next = await refusal {
        _ = try await session.capturePhoto(request, output: "photo", requested: 0) { _ in }
      }
      let present = await refusal {
        let input = try await session.photoInput(output: "photo")
        _ = try await input.device.run { device in
          try await device.photos.capture(
            request, at: .now, of: input, on: device, requested: MonotonicClock.now(), progress: { _ in })
        }
      }
      return [next, present]
    }

    /// What somebody is refused with who only asks what a photo would be: of the next frame, and of the present one.
    func refusalsOfDryRuns() async -> [CaptureError?] {
      var refusals: [CaptureError?] = []
      for time in [PhotoTime.next, .now] {
        refusals.append(
          await refusal {
            let input = try await session.photoInput(output: "photo")
            _ = try await input.device.run { device in
              try await device.photos.resolve(
                PhotoRequest(VideoRequest()), at: time, of: input, on: device)
            }
          })
      }
      return refusals
    }

    func refusals() async -> [CaptureError?] { await refusalsOfPhotos() + refusalsOfDryRuns() }
  }

  @Test func aReturningCameraGoesOnByItself() async throws {
    let door = try await Door()
    // One that is on its way when the stream ends does not come.
    await eventually("the first frame came") { door.sink.received.count == 1 }
    door.provider.unplug(door.camera)
    let gone = await door.watch.next()
    #expect(gone?.kind == .interrupted(.cameraUnplugged) && gone?.text.contains("'a' was unplugged") == true)
    #expect(gone?.status.isRunning == true && gone?.status.interruption != nil)
    await eventually("the viewer was told") { door.sink.received.last?.interruption != nil }
    #expect(door.sink.received.last?.isUnplugged == true)
    let back = FakeCamera("a")
    door.provider.plug(back)
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    back.emit()
    await eventually("frames come") { door.sink.received.last?.gap.discontinuity?.kind == .resumed }
    #expect(door.sink.received.last?.gap.discarded == 0)
    #expect(await door.session.status().interruption == nil)
  }

  @Test func aCameraThatAnotherProgramHasIsTriedAgain() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    back.state.withLock {
      $0.startError = CaptureError(.failedPrecondition, "in use by cheese", cause: .busy)
    }
    door.provider.plug(back)
    let busy = await door.watch.next()
    #expect(busy?.kind == .interrupted(.cameraInUse) && busy?.text == "in use by cheese")
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    #expect(back.state.withLock(\.starts) == 1)
  }

  /// Others ask first, for another format, while the session cannot start yet.
  @Test func whoComesFirstWithAnotherFormatTakesNothingFromTheSession() async throws {
    let door = try await Door()
    await eventually("the first frame came") { door.sink.received.count == 1 }
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    back.state.withLock {
      $0.startRefusal = CaptureError(.failedPrecondition, "in use by cheese", cause: .busy)
    }
    door.provider.plug(back)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraInUse))
    let device = try door.engine.device("a")
    let hd = VideoRequest(size: FrameSize(width: 1920, height: 1080))
    let stranger = await refusal { _ = try await device.subscribe(hd, sink: TestSink(), holder: "2") }
    let photo = await refusal { _ = try await device.capturePhoto(hd, requested: 0) { _ in } }
    let other = await refusal {
      _ = try await door.engine.configureSession("other", .of("a", .jpegHD), starts: true, owner: someone)
    }
    for error in [stranger, photo, other] {
      #expect(
        error?.code == .failedPrecondition && error?.message.contains("'door'") == true, "\(error as Any)")
    }
    #expect(back.state.withLock(\.starts) == 0)
    back.state.withLock { $0.startRefusal = nil }
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    let stream = back.state.withLock(\.stream)
    #expect(stream?.size == FrameSize(width: 640, height: 480) && stream?.pixelFormat == .yuyv)
    back.emit()
    await eventually("frames come") { door.sink.received.last?.gap.discontinuity?.kind == .resumed }
    #expect(back.state.withLock(\.starts) == 1)
  }

  @Test func aCameraThatReturnsWithoutItsFormatsStopsTheSession() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    door.provider.plug(FakeCamera("a", formats: [FakeCamera.format(.mjpeg, ["320x240": [30]])]))
    let error = await door.watch.next()
    #expect(error?.kind == .runtimeError && error?.status.isRunning == false)
    #expect(error?.text.contains("offers no YUYV") == true, "\(error?.text ?? "")")
    // Whoever asks later is told too, until it is started again.
    let failure = await door.session.status().error
    #expect(failure?.code == .invalidArgument && failure?.message == error?.text)
    #expect(error?.status.error == failure)
    _ = try await door.engine.configureSession("door", .of("a", preset: .low), starts: true, owner: someone)
    #expect(await door.session.status().error == nil)
  }

  @Test func aSilentCameraIsAnInterruption() async throws {
    let door = try await Door()
    door.camera.send(.interrupted(reason: "no frames"))
    let silent = await door.watch.next()
    #expect(silent?.kind == .interrupted(.cameraSilent) && silent?.text == "no frames")
    door.camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "no frames"))
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    await eventually("the viewer went on") {
      door.sink.received.last?.gap.discontinuity?.kind == .resumed
    }
  }

  @Test func aStreamThatEndsByItselfIsStartedAgain() async throws {
    let door = try await Door()
    door.camera.send(.ended(CaptureError(.unavailable, "the driver gave up")))
    await eventually("it was started again") { door.camera.state.withLock(\.starts) == 2 }
    await eventually("it is seated") {
      door.camera.emit()
      return door.sink.received.last?.gap.discontinuity?.kind == .resumed
    }
    #expect(await door.session.status().isRunning)
  }

  @Test func aSessionWhoseCameraIsAwayStopsAndDoesNotStart() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let stopped = try await door.session.stop()
    #expect(!stopped.isRunning && stopped.interruption == nil)
    #expect(await refusal { _ = try await door.session.start() }?.code == .unavailable)
  }

  @Test func whatWasToldOfACauseIsToldOnce() async throws {
    let door = try await Door()
    door.camera.send(.interrupted(reason: "no signal"))
    #expect(await door.watch.next()?.text == "no signal")
    // The node's own check finds the same, and knows less of it.
    door.camera.send(.interrupted(reason: "no frame for 1 s"))
    door.camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "no signal"))
    let next = await door.watch.next()
    #expect(next?.kind == .interruptionEnded, "\(next?.text ?? "")")
  }

  @Test func aCameraThatWasAwayBeforeAStopIsNotCalledAwayAfterwards() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    _ = try await door.session.stop()
    let back = FakeCamera("a")
    door.provider.plug(back)
    await eventually("it is started") { (try? await door.session.start()) != nil }
    // Its stream ends, and goes on.
    back.send(.ended(CaptureError(.unavailable, "the driver ended it")))
    await eventually("frames come again") {
      back.emit()
      return door.sink.received.contains { $0.gap.discontinuity?.reason == "its stream ended" }
    }
    #expect(door.sink.received.allSatisfy { $0.gap.discontinuity?.away == nil })
  }

  @Test func aStartThatFailsForNowIsNoUnplugging() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    back.state.withLock {
      $0.startError = CaptureError(.unavailable, "starting failed: EIO", .init(.driverFailed))
    }
    door.provider.plug(back)
    let failed = await door.watch.next()
    #expect(failed?.kind == .interrupted(.cameraSilent) && failed?.text == "starting failed: EIO")
    #expect(await door.watch.next()?.kind == .interruptionEnded)
  }

  @Test func aPhotoWhoseCameraIsAwaySaysSoWhetherOrNotTheSessionRuns() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let away = CaptureError(
      .unavailable, "'a' is unplugged; its place is kept for its return",
      .init(.cameraUnplugged, device: "a"))
    for error in await door.refusals() { #expect(error == away) }
    #expect(await refusal { _ = try await door.session.start() } == nil)
    _ = try await door.session.stop()
    for error in await door.refusals() { #expect(error == away) }
    #expect(await refusal { _ = try await door.session.start() } == away)
    // Once it is back, the session has to be started.
    door.provider.plug(FakeCamera("a"))
    await eventually("it is back") { await door.refusals()[0]?.code == .failedPrecondition }
    for error in await door.refusals() { #expect(error?.details?.reason == .notStreaming) }
  }

  @Test func aPhotoOfASessionThatIsBeingResumedSaysWhatItWaitsFor() async throws {
    let door = try await Door()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    back.state.withLock { $0.holdsStarting = true }
    door.provider.plug(back)
    await eventually("it is being started") { back.state.withLock { !$0.heldStarting.isEmpty } }
    for error in await door.refusals() {
      #expect(error?.code == .unavailable && error?.details?.reason == .streamEnded)
      #expect(error?.message.contains("is being started for the session 'door'") == true, "\(error as Any)")
    }
    let busy = CaptureError(.failedPrecondition, "in use by cheese", cause: .busy)
    back.releaseStart(failing: busy, holdsNext: true)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraInUse))
    for error in await door.refusals() {
      #expect(error?.code == .failedPrecondition && error?.message == "in use by cheese")
    }
    back.releaseStart()
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    for error in await door.refusalsOfDryRuns() { #expect(error == nil) }
  }
}
