import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

/// A consumer that the engine knows nothing of: what the package offers is enough to add one.
private final class FrameCounter: FrameConsumer {
  struct Counts: Equatable {
    var taken: [UInt64] = []
    var skipped: [SkipReason] = []
    var interruptions: [String] = []
    var ends: [CaptureError.Code] = []
  }
  let keepsStreamRunning: Bool
  let holder = "a counter"
  private let isWanting: Bool
  private let limit: Int
  private let state = Mutex(Counts())

  init(keepsStreamRunning: Bool = true, isWanting: Bool = true, limit: Int = .max) {
    self.keepsStreamRunning = keepsStreamRunning
    self.isWanting = isWanting
    self.limit = limit
  }

  var counts: Counts { state.withLock { $0 } }

  func wants(_ moment: FrameMoment) -> Bool { isWanting }

  func take(_ frame: TakenFrame) -> NextFrame {
    state.withLock { state in
      state.taken.append(frame.moment.ordinal)
      return state.taken.count == limit ? .done : .stay
    }
  }

  func skipped(_ moment: FrameMoment, _ why: SkipReason) { state.withLock { $0.skipped.append(why) } }

  func streamEvent(_ event: StreamEvent) {
    state.withLock { state in
      switch event {
      case .interrupted(let reason): state.interruptions.append(reason)
      case .buffersLow: break
      case .ended(let error): state.ends.append(error.code)
      }
    }
  }
}

@Suite struct FrameConsumerTests {
  @Test func aConsumerStartsAStreamCountsItsFramesAndStopsIt() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let counter = FrameCounter()
    try await device.join(counter, asking: .rawVGA)
    for _ in 0..<3 { camera.emit() }
    #expect(counter.counts.taken == [1, 2, 3])
    await device.leave(counter)
    #expect(counter.counts.ends.isEmpty)
    #expect(await device.status().format == nil)
    #expect(!camera.isStreaming)
  }

  @Test func whoOnlyLooksOnLetsTheStreamStop() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let counter = FrameCounter(keepsStreamRunning: false)
    await #expect(throws: CaptureError.self) { try await device.join(counter) }
    #expect(!camera.isStreaming)
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test")
    try await device.join(counter)
    camera.emit()
    #expect(counter.counts.taken == [1])
    await device.unsubscribe(subscription)
    #expect(!camera.isStreaming)
    #expect(counter.counts.ends == [.unavailable])
  }

  /// It is added once, and sees each stream from its first frame on.
  @Test func anOnlookerJoinsEveryStreamByItself() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let counters = Mutex<[FrameCounter]>([])
    await device.run { device in
      device.onlookers.add { use in
        guard use.isForSubscribers else { return nil }
        let counter = FrameCounter(keepsStreamRunning: false)
        counters.withLock { $0.append(counter) }
        return counter
      }
    }
    for stream in 1...2 {
      let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test")
      for _ in 0..<stream { camera.emit() }
      await device.unsubscribe(subscription)
      #expect(!camera.isStreaming)
    }
    let counts = counters.withLock { $0.map(\.counts) }
    #expect(counts.map(\.taken) == [[1], [1, 2]] && counts.allSatisfy { $0.ends == [.unavailable] })
  }

  /// The camera gives another size than the one that it was asked for, so the stream is not used.
  @Test func anOnlookerHearsOfTheEndOfAStreamThatCannotBeUsed() async throws {
    let camera = FakeCamera()
    camera.state.withLock { $0.otherSize = FrameSize(width: 320, height: 240) }
    let device = try await engine(camera).device("0")
    let onlooker = FrameCounter(keepsStreamRunning: false)
    await device.run { device in
      device.onlookers.add { _ in onlooker }
    }
    await #expect(throws: CaptureError.self) {
      _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test")
    }
    #expect(onlooker.counts.ends == [.invalidArgument])
  }

  @Test func anOnlookerHearsOfTheEndOfAStreamWhoseCameraGoesWhileItStarts() async throws {
    let camera = FakeCamera(hasDriver: true)
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    let onlooker = FrameCounter(keepsStreamRunning: false)
    await device.run { device in
      device.onlookers.add { _ in onlooker }
    }
    camera.state.withLock { $0.holdsStarting = true }
    let starting = Task { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test") }
    await eventually("it starts") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    provider.unplug(camera)
    await #expect(throws: CaptureError.self) { try await starting.value }
    #expect(onlooker.counts.ends == [.unavailable])
    camera.releaseStart()
  }

  /// What it adds to the description of a camera, as how far back recent frames reach.
  @Test func anOnlookerIsDescribedWhileTheCameraStreams() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let reach = RecentReach(duration: .seconds(7), frames: 7, bytes: 77, bound: 777)
    await device.run { device in
      device.onlookers.add { _ in
        nil
      } describe: {
        $0.recentFrames = reach
      }
    }
    #expect(try await device.settingsDescription().recentFrames == nil)
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test")
    #expect(try await device.settingsDescription().recentFrames == reach)
    await device.unsubscribe(subscription)
    #expect(try await device.settingsDescription().recentFrames == nil)
  }

  /// A photo's stream that subscribers have in the end gets what looks on at subscribers' streams then, and only once.
  @Test func anOnlookerJoinsAPhotosStreamOnceSubscribersHaveIt() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let (always, later) = (FrameCounter(keepsStreamRunning: false), FrameCounter(keepsStreamRunning: false))
    let uses = Mutex<[Bool]>([])
    await device.run { device in
      device.onlookers.add { _ in always }
      device.onlookers.add { use in
        uses.withLock { $0.append(use.isForSubscribers) }
        return use.isForSubscribers ? later : nil
      }
    }
    let photo = Task { try await device.capturePhoto(.rawVGA, requested: 0) { _ in } }
    await eventually("the photo's stream runs") { camera.isStreaming }
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "test")
    #expect(later.counts.taken.isEmpty)
    await eventually("the photo is over") {
      camera.emit()
      return uses.withLock { $0.last == true }
    }
    _ = try await photo.value
    camera.emit()
    #expect(later.counts.taken.last == always.counts.taken.last)
    #expect(Set(always.counts.taken).count == always.counts.taken.count)
    #expect(uses.withLock { $0.last == true && $0.filter { $0 }.count == 1 })
    await device.unsubscribe(subscription)
  }

  @Test func aConsumerThatIsDoneLeavesAndOthersGoOn() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let (brief, other) = (FrameCounter(limit: 2), FrameCounter())
    try await device.join(brief, asking: .rawVGA)
    try await device.join(other)
    for _ in 0..<4 { camera.emit() }
    #expect(brief.counts.taken == [1, 2])
    #expect(other.counts.taken == [1, 2, 3, 4])
    await device.leave(other)
    #expect(!camera.isStreaming)
  }

  @Test func theLastConsumerThatIsDoneStopsTheStream() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let (first, last) = (FrameCounter(limit: 2), FrameCounter(limit: 3))
    let onlooker = FrameCounter(keepsStreamRunning: false)
    try await device.join(first, asking: .rawVGA)
    for consumer in [last, onlooker] { try await device.join(consumer) }
    for _ in 0..<2 { camera.emit() }
    try await Task.sleep(for: .milliseconds(50))
    #expect(camera.isStreaming, "somebody still takes frames")
    camera.emit()
    await eventually("it stops") { !camera.isStreaming }
    #expect(first.counts.taken == [1, 2] && last.counts.taken == [1, 2, 3])
    #expect(onlooker.counts.taken == [1, 2, 3] && onlooker.counts.ends == [.unavailable])
    #expect(first.counts.ends.isEmpty && last.counts.ends.isEmpty)
    #expect(await device.status().format == nil)
    // The next one has a stream of its own.
    let next = FrameCounter(limit: 1)
    try await device.join(next, asking: .rawVGA)
    camera.emit()
    #expect(next.counts.taken == [1])
    await eventually("it stops again") { !camera.isStreaming }
  }

  @Test func aConsumerThatIsDoneLeavesASessionsStreamRunning() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("0", .rawVGA), starts: true, owner: someone)
    let device = try engine.device("0")
    let counter = FrameCounter(limit: 1)
    try await device.join(counter)
    camera.emit()
    #expect(counter.counts.taken == [1])
    try await Task.sleep(for: .milliseconds(50))
    #expect(camera.isStreaming)
    #expect(try await engine.sessionStatus("door").isRunning)
  }

  @Test func aFrameThatNobodyWantsIsCountedForWhoeverTakesTheNext() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let onlyLargeChanges = FrameCounter(isWanting: false)
    try await device.join(onlyLargeChanges, asking: .rawVGA)
    #expect(!camera.offer())
    #expect(onlyLargeChanges.counts.skipped == [.unwanted])
    let eager = FrameCounter()
    try await device.join(eager)
    #expect(camera.offer())
    #expect(eager.counts.taken == [2])
    #expect(onlyLargeChanges.counts.taken == [2])
  }

  @Test func aConsumerHearsWhatHappensToTheStream() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let counter = FrameCounter()
    try await device.join(counter, asking: .rawVGA)
    camera.send(.interrupted(reason: "no frame for 3 s"))
    #expect(counter.counts.interruptions == ["no frame for 3 s"])
    camera.send(.ended(CaptureError(.unavailable, "unplugged")))
    #expect(counter.counts.ends == [.unavailable])
  }

  @Test func whoJoinsASecondTimeIsToldWhoHasTheFormat() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    try await device.join(FrameCounter(), asking: .rawVGA)
    var larger = VideoRequest.rawVGA
    larger.size = FrameSize(width: 1280, height: 720)
    let request = larger
    let error = await #expect(throws: CaptureError.self) {
      try await device.subscribe(request, sink: TestSink(), holder: "test")
    }
    #expect(error?.message.contains("for a counter") == true)
  }
}

extension FakeCamera {
  fileprivate var isStreaming: Bool { state.withLock { $0.stream != nil } }
}
