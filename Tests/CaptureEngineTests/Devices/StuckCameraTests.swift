import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A camera whose driver holds a call.
@Suite struct StuckCameraTests {
  private let camera = FakeCamera("stuck", hasDriver: true)
  private let other = FakeCamera("other", hasDriver: true)

  private func refusal(_ body: () async throws -> Void) async -> CaptureError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? CaptureError
    }
  }

  @Test func aSlowOneIsToldOfAndNothingEnds() async throws {
    let engine = await engine(camera, other)
    let device = try engine.device("stuck")
    let sink = TestSink()
    let subscription = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.fallSilent(for: 5)
    await engine.checkDrivers()
    #expect(engine.cameras.map(\.response) == [.slow, .responding])
    #expect(await device.status().response == .slow)
    #expect(await device.status().subscribers == 1)
    camera.answerAgain()
    await engine.checkDrivers()
    #expect(engine.cameras.map(\.response) == [.responding, .responding])
    await device.unsubscribe(subscription)
  }

  @Test func driversAreLookedAfterSeldomUnlessACallIsOpen() async throws {
    let engine = await engine(camera, other)
    _ = try engine.device("stuck")
    #expect(await engine.pauseBeforeCheck == ResponseWatch.slow)
    // A call has begun just now.
    camera.fallSilent(for: 0)
    #expect(await engine.pauseBeforeCheck == ResponseWatch.period)
    camera.fallSilent(for: 5)
    await engine.checkDrivers()
    #expect(await engine.pauseBeforeCheck == ResponseWatch.period)
    camera.answerAgain()
    await engine.checkDrivers()
    #expect(await engine.pauseBeforeCheck == ResponseWatch.slow)
  }

  @Test func whatWaitsForOneThatDoesNotRespondEndsAndWhatComesIsRefusedUntilItAnswers() async throws {
    let engine = await engine(camera, other)
    let device = try engine.device("stuck")
    camera.state.withLock { $0.holdsStarting = true }
    let waiting = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("it starts") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    camera.fallSilent()
    await engine.checkDrivers()
    let ended = await refusal { _ = try await waiting.value }
    #expect(ended?.code == .unavailable)
    #expect(ended?.message.contains("'stuck' does not respond") == true, "\(String(describing: ended))")
    #expect(ended?.details == .init(.notResponding, device: "stuck"))
    for _ in 0..<2 {
      let refused = await refusal { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2") }
      #expect(refused?.code == .unavailable)
      let controls = await refusal { _ = try await device.controls() }
      #expect(controls?.code == .unavailable)
    }
    #expect(engine.cameras.map(\.response) == [.notResponding, .responding])
    #expect(engine.cameras.map(\.isPresent) == [true, true])
    #expect(await device.status().response == .notResponding)
    // The others go on.
    let beside = try engine.device("other")
    let subscription = try await beside.subscribe(.rawVGA, sink: TestSink(), holder: "3")
    await beside.unsubscribe(subscription)

    // The driver answers: what it had begun for somebody who is gone is stopped before the next begins.
    camera.answerAgain()
    camera.releaseStart()
    await engine.checkDrivers()
    #expect(engine.cameras.map(\.response) == [.responding, .responding])
    let again = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "4")
    await eventually("one start was undone") { camera.state.withLock { $0.starts == 2 && $0.stops >= 1 } }
    #expect(camera.state.withLock { $0.stream != nil })
    await device.unsubscribe(again)
  }

  @Test func streamsOfOneThatDoesNotRespondEnd() async throws {
    let engine = await engine(camera)
    let device = try engine.device("stuck")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.fallSilent()
    await engine.checkDrivers()
    let ended = await refusal { try await subscription.waitUntilEnded() }
    #expect(ended?.code == .unavailable)
    #expect(ended?.message.contains("does not respond") == true)
    #expect(await device.status().format == nil)
  }

  /// The stream stalls, then the driver counts as silent, and at last somebody pulls the camera: each is told as what it is.
  @Test(.timeLimit(.minutes(1))) func aSessionIsToldOfASilentDriverAsOfNoUnplugging() async throws {
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    _ = try await engine.configureSession("door", .of("stuck", .rawVGA), starts: true, owner: someone)
    let session = try await engine.session("door")
    let watch = try await session.watch()
    _ = await watch.next()
    let sink = TestSink()
    let viewer = try await session.subscribe(.rawVGA, output: "", sink: sink, holder: "1")
    camera.emit()
    await eventually("the first frame came") { sink.received.count == 1 }
    camera.send(.interrupted(reason: "no frames"))
    #expect(await watch.next()?.text == "no frames")

    camera.fallSilent()
    await engine.checkDrivers()
    let silent = await watch.next()
    #expect(silent?.kind == .interrupted(.cameraSilent))
    #expect(silent?.text.hasPrefix("'stuck' does not respond: ") == true, "\(silent?.text ?? "")")
    #expect(silent?.status.isRunning == true && silent?.status.interruption == silent?.text)
    await eventually("the viewer was told") { sink.received.last?.interruption == silent?.text }
    #expect(sink.received.last?.isUnplugged == false)
    let photo = await refusal {
      _ = try await session.capturePhoto(PhotoRequest(VideoRequest()), output: "photo", requested: 0) { _ in }
    }
    #expect(photo?.code == .unavailable && photo?.message == silent?.text)
    #expect(photo?.details == .init(.notResponding, device: "stuck"))

    camera.answerAgain()
    await engine.checkDrivers()
    #expect(await watch.next()?.kind == .interruptionEnded)
    camera.emit()
    await eventually("frames come") { sink.received.last?.gap.discontinuity?.kind == .resumed }
    let resumed = sink.received.last?.gap.discontinuity
    #expect(resumed?.reason == silent?.text && resumed?.away == nil)

    camera.fallSilent()
    await engine.checkDrivers()
    #expect(await watch.next()?.kind == .interrupted(.cameraSilent))
    provider.unplug(camera)
    #expect(await watch.next()?.kind == .interrupted(.cameraUnplugged))
    await eventually("the viewer was told") { sink.received.last?.isUnplugged == true }
    let back = FakeCamera("stuck", hasDriver: true)
    provider.plug(back)
    #expect(await watch.next()?.kind == .interruptionEnded)
    back.emit()
    await eventually("frames come") { sink.received.last?.gap.discontinuity?.away != nil }
    await session.unsubscribe(viewer)
    await engine.shutDown()
  }

  /// Its driver may answer again at once.
  @Test func aStopIsOverBeforeTheNextStart() async throws {
    final class Receiver: FrameReceiver {
      func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { false }
      func received(_ frame: Frame) {}
      func streamEvent(_ event: StreamEvent) {}
    }
    let watched = WatchedCamera(camera)
    let request = StreamRequest(pixelFormat: .yuyv, size: FrameSize("640x480")!)
    _ = try await watched.startStreaming(request, into: Receiver())
    for stops in 1...20 {
      watched.beginStopping()
      _ = try await watched.startStreaming(request, into: Receiver())
      #expect(camera.state.withLock { $0.stream != nil && $0.stops == stops })
    }
  }

  /// An attempt to start the camera may have failed before somebody pulled it, since its driver did not answer.
  @Test func whatASessionIsToldOfAPulledCameraIsThatItIsUnplugged() async throws {
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("stuck")
    camera.fallSilent()
    await engine.checkDrivers()
    let silent = try #require(await refusal { _ = try await device.formats() })
    #expect(silent.details?.reason == .notResponding)
    provider.unplug(camera)
    await eventually("it is gone") { engine.cameras.first?.isPresent == false }
    #expect(await device.obstacle(after: silent)?.error.details?.reason == .cameraUnplugged)
  }

  /// Somebody pulls it, and plugs it in again, before the check of its driver has told what it found.
  @Test func whatWasFoundOfACameraIsNotToldOfTheOneAfterIt() async throws {
    let (camera, back) = (camera, FakeCamera("stuck", hasDriver: true))
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    camera.fallSilent()
    camera.state.withLock { state in
      state.whenAsked = {
        provider.unplug(camera)
        provider.plug(back)
      }
    }
    await engine.checkDrivers()
    #expect(engine.cameras.map(\.response) == [.responding])
    await engine.shutDown()
  }

  @Test func anUnplugEndsWhatWaitsForTheDriverAtOnce() async throws {
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("stuck")
    camera.state.withLock { $0.holdsStarting = true }
    let waiting = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("it starts") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    provider.unplug(camera)
    let ended = await refusal { _ = try await waiting.value }
    #expect(ended?.code == .unavailable)
    #expect(ended?.message == "'stuck' was unplugged")
    // Its return under the same identity is another one; the old one is with its driver still.
    let back = FakeCamera("stuck", hasDriver: true)
    provider.plug(back)
    await eventually("it is back") { engine.cameras.first?.isPresent == true }
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    await device.unsubscribe(subscription)
    camera.releaseStart()
  }

  @Test func theEndDoesNotWaitForIt() async throws {
    let engine = await engine(camera, other)
    let device = try engine.device("stuck")
    camera.state.withLock { $0.holdsStarting = true }
    let waiting = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("it starts") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    let begun = ContinuousClock.now
    await engine.shutDown()
    #expect(ContinuousClock.now - begun < .seconds(4))
    camera.releaseStart()
    _ = try? await waiting.value
  }
}
