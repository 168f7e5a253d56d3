import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Photos of now, of a moment that has passed, and of one to come.
@Suite struct PhotoTimeTests {
  private static let size = FrameSize(width: 160, height: 120)
  private static let frameBytes = size.area * 2

  private static func taken(_ sequence: UInt64, at time: UInt64, epoch: UInt64 = 0) -> TakenFrame {
    let format = StreamFormat(
      pixelFormat: .yuyv, size: size, interval: FrameInterval(rate: 100), planes: [])
    let frame = Frame(
      payload: Payload(copying: [UInt8](repeating: UInt8(sequence), count: frameBytes)), format: format,
      sequence: sequence,
      timestamp: FrameTimestamp(nanoseconds: time, clock: .monotonic, source: .startOfExposure))
    return TakenFrame(
      frame: frame, moment: FrameMoment(ordinal: sequence + 1, epoch: epoch, time: time, arrival: time))
  }

  @Test func theNewestFramesAreKeptUpToTheBound() {
    let recent = RecentFramesConsumer(bound: 5 * Self.frameBytes + 10)
    for number in 0..<20 {
      #expect(recent.take(Self.taken(UInt64(number), at: UInt64(number) * 10)) == .stay)
    }
    #expect(recent.frames.map(\.frame.sequence) == [15, 16, 17, 18, 19])
    #expect(recent.frames.allSatisfy { $0.frame.payload.bytes.first == UInt8($0.frame.sequence) })
    #expect(
      recent.reach
        == RecentReach(
          duration: .nanoseconds(40), frames: 5, bytes: 5 * Self.frameBytes, bound: 5 * Self.frameBytes + 10))
    // What comes after a discontinuity may be anything else.
    _ = recent.take(Self.taken(0, at: 300, epoch: 1))
    #expect(recent.reach.frames == 1)
    recent.streamEvent(.ended(.callCancelled))
    #expect(recent.reach.frames == 0 && recent.reach.bytes == 0)
  }

  @Test func aCameraKeepsAsManyBytesAsItsLimitSays() async throws {
    let (bytes, camera) = (640 * 480 * 2, FakeCamera())
    var limits = NodeLimits()
    limits[.recentFrameBytesPerCamera] = 5 * bytes + 10
    let engine = CaptureEngine(imaging: .fake(), limits: limits)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let subscription = try await device.subscribe(.rawVGA, sink: NobodySink(), holder: "test")
    for _ in 0..<20 { camera.emit() }
    let reach = try #require(try await device.settingsDescription().recentFrames)
    #expect(reach.frames == 5 && reach.bytes == 5 * bytes && reach.bound == 5 * bytes + 10, "\(reach)")
    await device.unsubscribe(subscription)
    await engine.shutDown()
  }

  @Test func nothingIsKeptOfAStreamThatIsOver() {
    let recent: RecentFramesConsumer
    weak var memory: PayloadPool?
    do {
      let pool = PayloadPool(keep: 2)
      (memory, recent) = (pool, RecentFramesConsumer(bound: 5 * Self.frameBytes, pool: pool))
    }
    for number in 0..<10 { _ = recent.take(Self.taken(UInt64(number), at: UInt64(number) * 10)) }
    #expect(memory != nil)
    recent.streamEvent(.ended(.callCancelled))
    #expect(memory == nil)
    _ = recent.take(Self.taken(10, at: 100))
    #expect(recent.frames.isEmpty)
  }

  @Test func framesOfWhichFewHaveRoomAreNotKept() {
    let recent = RecentFramesConsumer(bound: 3 * Self.frameBytes)
    _ = recent.take(Self.taken(1, at: 10))
    #expect(recent.reach.frames == 0)
  }

  @Test func theNearestFrameIsTakenWhicheverSideItIsOn() async throws {
    let later = PhotoConsumer(NearestFrame(time: 1000), best: PhotoFrame(Self.taken(1, at: 400)))
    #expect(later.take(Self.taken(2, at: 700)) == .stay)
    #expect(later.take(Self.taken(3, at: 1100)) == .done)
    #expect(try await later.wait().taken.frame.sequence == 3)
    let earlier = PhotoConsumer(NearestFrame(time: 1000))
    #expect(earlier.take(Self.taken(2, at: 950)) == .stay)
    #expect(earlier.take(Self.taken(3, at: 1100)) == .done)
    #expect(try await earlier.wait().taken.frame.sequence == 2)
  }

  // MARK: A camera

  private struct Streaming {
    let engine: CaptureEngine
    let device: Device
    let subscription: FrameSubscription?
  }

  private static let rate = 20.0
  /// In milliseconds, with half of one for the arithmetic.
  private static let halfAFrame = 500 / rate + 0.5
  private static let aQuarterOfAFrame = 250 / rate + 0.5

  /// A camera that paints its pictures, the first one too, fast enough for a sanitizer: a late one is no frame of its moment.
  private static func streaming(_ isStreaming: Bool = true) async throws -> Streaming {
    let provider = SyntheticProvider(cameras: [
      try #require(try SyntheticSpec.parse("synthetic:\(size)@\(rate)"))
    ])
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(provider)
    let device = try engine.device("0")
    guard isStreaming else { return Streaming(engine: engine, device: device, subscription: nil) }
    let subscription = try await device.subscribe(
      VideoRequest(encoding: .raw), sink: NobodySink(), holder: "test")
    await eventually("frames are kept") { await device.run { $0.photos.recent.reach.frames } > 8 }
    return Streaming(engine: engine, device: device, subscription: subscription)
  }

  private static func photo(
    _ device: Device, _ time: PhotoTime, _ request: VideoRequest = VideoRequest(encoding: .raw),
    requested: UInt64 = MonotonicClock.now()
  )
    async throws -> Photo
  {
    try await device.run { device in
      try await device.photos.capture(
        PhotoRequest(request), at: time, on: device, requested: requested, progress: { _ in })
    }
  }

  /// The middle of the latest two frames between which none is missing: a busy machine may have lost some.
  private static func momentWithFrames(of device: Device) async throws -> UInt64 {
    var moment: UInt64?
    await eventually("two frames come one after the other") {
      let kept = await device.run { $0.photos.recent.frames.map { ($0.frame.sequence, $0.beginning.time) } }
      let pair = zip(kept, kept.dropFirst()).reversed().first { one, next in one.0 + 1 == next.0 }
      // Nearer to the later one, so that who takes the one before is told from who takes the nearest.
      moment = pair.map { one, next in next.1 - (next.1 - one.1) / 4 }
      return moment != nil
    }
    return try #require(moment)
  }

  @Test func nowIsTheNewestFrame() async throws {
    let streaming = try await Self.streaming()
    let before = try #require(await streaming.device.run { $0.photos.recent.frames.last }).frame.sequence
    let photo = try await Self.photo(streaming.device, .now)
    #expect(photo.picture.description.sequence >= before)
    #expect(try #require(photo.nearness).distance < .zero)
    #expect(photo.picture.description.settling == nil)
    await streaming.engine.shutDown()
  }

  @Test func aMomentThatHasPassedHasItsNearestFrame() async throws {
    let streaming = try await Self.streaming()
    let moment = try await Self.momentWithFrames(of: streaming.device)
    let now = MonotonicClock.now()
    for time in [PhotoTime.ago(.nanoseconds(now - moment)), .node(moment, bootID: "")] {
      let nearness = try #require(try await Self.photo(streaming.device, time, requested: now).nearness)
      #expect(abs(nearness.distance / .milliseconds(1)) <= Self.aQuarterOfAFrame, "\(nearness)")
    }
    let utc = UTCClock().reading(at: moment).nanoseconds
    let nearness = try #require(try await Self.photo(streaming.device, .utc(utc)).nearness)
    #expect(abs(nearness.distance / .milliseconds(1)) <= Self.halfAFrame + 0.5)
    await streaming.engine.shutDown()
  }

  @Test func aRunningSessionKeepsFramesWithoutViewers() async throws {
    let idle = try await Self.streaming(false)
    let format = ActiveFormat(pixelFormat: .yuyv, size: Self.size)
    _ = try await idle.engine.configureSession("door", .of("0", format), owner: someone)
    let session = try await idle.engine.session("door")
    _ = try await session.start()
    await eventually("frames are kept") { await idle.device.run { $0.photos.recent.reach.frames } > 8 }
    let input = try await session.photoInput(output: "photo")
    let moment = try await Self.momentWithFrames(of: idle.device)
    let requested = MonotonicClock.now()
    let photo = try await idle.device.run { device in
      try await device.photos.capture(
        PhotoRequest(VideoRequest(encoding: .raw)), at: .ago(.nanoseconds(requested - moment)), of: input,
        on: device, requested: requested, progress: { _ in })
    }
    let nearness = try #require(photo.nearness)
    #expect(abs(nearness.distance / .milliseconds(1)) <= Self.aQuarterOfAFrame, "\(nearness)")
    await idle.engine.shutDown()
  }

  @Test func whatADryRunSaysOfAMomentIsWhatItsPhotoWouldGet() async throws {
    func resolve(_ device: Device, _ time: PhotoTime) async -> Result<ResolvedPhoto, CaptureError> {
      await device.run { device in
        do throws(CaptureError) {
          return .success(
            try await device.photos.resolve(PhotoRequest(VideoRequest(encoding: .raw)), at: time, on: device))
        } catch { return .failure(error) }
      }
    }
    let idle = try await Self.streaming(false)
    await #expect(throws: CaptureError.self) { try await resolve(idle.device, .now).get() }
    let toCome = PhotoTime.node(MonotonicClock.now() + 5_000_000_000, bootID: "")
    #expect(try await resolve(idle.device, toCome).get().files.count == 1)
    #expect(await idle.device.stream == nil)
    await idle.engine.shutDown()
    let streaming = try await Self.streaming()
    let resolved = try await resolve(streaming.device, .ago(.milliseconds(100))).get()
    #expect(resolved.settling == .zero && resolved.files[0].size == Self.size)
    let error = await #expect(throws: CaptureError.self) {
      try await resolve(streaming.device, .ago(.seconds(3600))).get()
    }
    #expect(error?.code == .outOfRange)
    await streaming.engine.shutDown()
  }

  @Test func whatIsToldBeforeAPhotoIsWhatItsDryRunSaid() async throws {
    let streaming = try await Self.streaming()
    let device = streaming.device
    let now = MonotonicClock.now()
    let moments = [
      PhotoTime.now, .ago(.milliseconds(100)), .node(now - 100_000_000, bootID: ""),
      .utc(UTCClock().reading(at: now).nanoseconds - 100_000_000), .node(now + 200_000_000, bootID: ""),
    ]
    let request = PhotoRequest(VideoRequest(encoding: .raw))
    for time in moments {
      let resolved = try await device.run { try await $0.photos.resolve(request, at: time, on: $0) }
      let told = Mutex([ResolvedPhoto]())
      _ = try await device.run { device in
        try await device.photos.capture(request, at: time, on: device, requested: MonotonicClock.now()) {
          if case .willBegin(let resolved) = $0 { told.withLock { $0.append(resolved) } }
        }
      }
      #expect(told.withLock { $0 } == [resolved] && resolved.settling == .zero, "\(time)")
    }
    await streaming.engine.shutDown()
  }

  @Test func nothingCanSettleBeforeAMomentThatHasPassed() async throws {
    let streaming = try await Self.streaming()
    let now = MonotonicClock.now()
    let moments = [
      PhotoTime.now, .ago(.milliseconds(300)), .node(now - 300_000_000, bootID: ""),
      .utc(UTCClock().reading(at: now).nanoseconds - 300_000_000),
    ]
    let settling = VideoRequest(encoding: .raw, settling: .seconds(30))
    for time in moments {
      for isDry in [false, true] {
        let error = await #expect(throws: CaptureError.self, "\(time)") {
          guard isDry else { return _ = try await Self.photo(streaming.device, time, settling) }
          try await streaming.device.run {
            _ = try await $0.photos.resolve(PhotoRequest(settling), at: time, on: $0)
          }
        }
        #expect(error?.code == .invalidArgument && error?.details?.field == "settings.settle", "\(time)")
      }
    }
    // There is time before one to come.
    _ = try await Self.photo(
      streaming.device, .node(MonotonicClock.now() + 200_000_000, bootID: ""), settling)
    await streaming.engine.shutDown()
  }

  @Test func aMomentTooFarBackSaysHowFarFramesReach() async throws {
    let streaming = try await Self.streaming()
    let moments: [(time: PhotoTime, field: String, asked: Double)] = [
      (.ago(.seconds(3600)), "ago_ns", 3.6e12), (.utc(.min), "utc_ns", Double(Int64.min)),
      (.node(0, bootID: ""), "node_ns", 0),
    ]
    for (time, field, asked) in moments {
      let error = try #require(await refusal { _ = try await Self.photo(streaming.device, time) })
      #expect(error.code == .outOfRange && error.details?.field == "settings.when.\(field)", "\(error)")
      // Only what lies behind the kept frames has that bound; no clock reaches the other one.
      #expect(error.details?.limit == (time == .utc(.min) ? nil : "recentFrameBytesPerCamera"), "\(error)")
      // Both are in the unit of the field, so a client can ask again with a moment that is in the range.
      let (range, present) = (try #require(error.details?.range), Self.present(asIn: time))
      #expect(error.details?.asked == .number(asked))
      #expect(range.minimum <= present && present - range.minimum < Self.minute, "\(range), now \(present)")
      #expect(range.maximum > present && range.maximum - present < 3.6e12, "\(range), now \(present)")
      #expect(asked < range.minimum || range.maximum < asked)
    }
    await streaming.engine.shutDown()
  }

  /// In nanoseconds. No stream of these tests runs so long.
  private static let minute = 6e10

  /// The present, as the field of such a moment has it.
  private static func present(asIn time: PhotoTime) -> Double {
    let now = MonotonicClock.now()
    return switch time {
    case .node: Double(now)
    case .utc: Double(UTCClock().reading(at: now).nanoseconds)
    case .next, .now, .ago: 0
    }
  }

  @Test func aMomentToComeIsAwaitedAlsoByAnIdleCamera() async throws {
    for isStreaming in [true, false] {
      let streaming = try await Self.streaming(isStreaming)
      // Frames of a process that waits for a processor are late, or lost.
      let witness = LatenessWitness(on: .anyProcessor, every: 1_000_000, tolerance: 1_000_000) { $0 }
      defer { witness.end() }
      // An idle camera has to be started by then.
      let moment = MonotonicClock.now() + (isStreaming ? 1_500_000_000 : 3_000_000_000)
      var request = VideoRequest(encoding: .raw)
      request.settling = .zero
      let photo = try await Self.photo(streaming.device, .node(moment, bootID: ""), request)
      let nearness = try #require(photo.nearness)
      #expect(
        abs(nearness.distance / .milliseconds(1)) <= Self.halfAFrame + Double(witness.take()) / 1e6,
        "\(nearness), streamed: \(isStreaming)")
      if !isStreaming {
        await eventually("the camera is idle again") { await streaming.device.stream == nil }
      }
      await streaming.engine.shutDown()
    }
  }

  @Test func whatCannotBeIsRefused() async throws {
    let idle = try await Self.streaming(false)
    func refused(_ time: PhotoTime) async -> CaptureError? {
      await refusal { _ = try await Self.photo(idle.device, time, VideoRequest(encoding: .raw)) }
    }
    func code(_ time: PhotoTime, _ request: VideoRequest = VideoRequest(encoding: .raw)) async -> CaptureError
      .Code?
    {
      await refusal { _ = try await Self.photo(idle.device, time, request) }?.code
    }
    let present =
      "does not stream, so there is no present or past frame; start a stream first, or ask for the next frame"
    #expect(await refused(.now)?.message.contains(present) == true)
    let later = await refused(.node(MonotonicClock.now() + 7_200_000_000_000, bootID: ""))
    #expect(later?.message.hasPrefix("a photo can be at most 3600 s from now, not 7") == true)
    let range = try #require(later?.details?.range)
    let hour = range.maximum - Self.present(asIn: .node(0, bootID: ""))
    #expect(later?.details?.field == "settings.when.node_ns" && abs(hour - 3.6e12) < Self.minute, "\(range)")
    #expect(await code(.now) == .failedPrecondition)
    #expect(await code(.ago(.seconds(1))) == .failedPrecondition)
    #expect(await code(.node(MonotonicClock.now() + 7_200_000_000_000, bootID: "")) == .outOfRange)
    #expect(await code(.utc(.max)) == .outOfRange)
    #expect(await code(.now, VideoRequest(encoding: .raw, flash: .on)) == .invalidArgument)
    #expect(await idle.device.stream == nil)
    await idle.engine.shutDown()
  }
}
