import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc
import Synchronization
import Testing

@testable import CaptureV4L2

/// States of drivers that no real part here can be brought into.
struct StreamTests {
  let driver = FakeDriver()
  let request = StreamRequest(
    pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480),
    interval: FrameInterval(numerator: 1, denominator: 30))
  let receiver = Receiver()

  /// Its stream is restarted only where a test has made one of these times short.
  private func makeCamera(
    stall: Duration = .seconds(60), firstFrame: Duration = .seconds(60), damaged: Duration = .seconds(60)
  ) throws -> V4L2Camera {
    let timing = StreamTiming(
      stall: stall, firstFrame: firstFrame, damaged: damaged, pauses: [.milliseconds(5)])
    return try V4L2Camera(
      CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
      driver.system, timing: timing)
  }

  @Test func callsThatAreInterruptedAreMadeAgain() async throws {
    driver.fail(capture_VIDIOC_S_FMT, .interrupted, .interrupted)
    driver.fail(capture_VIDIOC_STREAMON, .interrupted)
    let camera = try makeCamera()
    let format = try await camera.startStreaming(request, into: receiver)
    #expect(format.planes == [PlaneLayout(stride: 1280, bytes: FakeDriver.bytes)])
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 3)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  @Test func setsTheIntervalAfterTheFormat() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    let order = driver.with { $0.calls }.filter { $0 == capture_VIDIOC_S_FMT || $0 == capture_VIDIOC_S_PARM }
    #expect(order == [capture_VIDIOC_S_FMT, capture_VIDIOC_S_PARM])
    await camera.close()
  }

  @Test func whoGetsNoDescriptorIsToldWhatToDo() {
    let error = DeviceFailure(path: "/dev/fake")(Errno(rawValue: EMFILE), "opening it")
    #expect(error.code == .resourceExhausted)
    #expect(
      error.message
        == "/dev/fake: opening it failed: Too many open files; close connections to the node, or allow it more open files"
    )
  }

  @Test func aFullBusIsExplainedAndLeavesNothing() async throws {
    driver.fail(capture_VIDIOC_STREAMON, .noSpace)
    let camera = try makeCamera()
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.message.contains("bandwidth") == true)
    #expect(driver.with { $0.mappings } == 0)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  @Test func aDriverThatWouldMakeAnotherPictureIsNotSet() async throws {
    let camera = try makeCamera()
    let larger = StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 1920, height: 1080))
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(larger, into: receiver)
    }
    #expect(error?.message == "/dev/fake offers no 1920x1080 YUYV; it offers: 640x480")
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 0)
    await camera.close()
  }

  @Test func aDriverThatMakesAnotherIntervalIsSetBack() async throws {
    driver.with { state in
      state.answers[capture_VIDIOC_S_PARM] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_streamparm.self)
        entry.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
        entry.pointee.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: 10)
      }
    }
    let camera = try makeCamera()
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.message.contains("its driver made 10 fps of it") == true)
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 2, "set and set back")
    await camera.close()
  }

  @Test func aDriverThatFailsToTakeTheIntervalIsSetBack() async throws {
    driver.fail(capture_VIDIOC_S_PARM, .inputOutput)
    let camera = try makeCamera()
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.code == .unavailable)
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 2, "set and set back")
    await camera.close()
  }

  /// As those of analogue grabbers.
  @Test func aDriverThatNeitherNamesIntervalsNorTakesOneRunsAtItsOwnUnlessAnotherIsRequired() async throws {
    driver.with { state in
      state.refusals[capture_VIDIOC_ENUM_FRAMEINTERVALS] = { _ in .invalid }
      state.refusals[capture_VIDIOC_G_PARM] = { _ in .notTTY }
      state.refusals[capture_VIDIOC_S_PARM] = { _ in .notTTY }
    }
    let camera = try makeCamera()
    let format = try await camera.startStreaming(request, into: receiver)
    #expect(format.size == request.size && format.interval == nil)
    await camera.stopStreaming()
    var exact = request
    exact.requiresInterval = true
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(exact, into: receiver)
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("no settable rate") == true)
    await camera.close()
  }

  /// Times are computed from it: in nanoseconds, a few of the longest that a driver can report are more than 64 bits hold.
  @Test func anIntervalThatNoCameraHasIsTakenForAnHour() async throws {
    driver.with { $0.interval = FrameInterval(numerator: .max, denominator: 1)! }
    let camera = try makeCamera()
    let format = try await camera.startStreaming(
      StreamRequest(pixelFormat: request.pixelFormat, size: request.size), into: receiver)
    #expect(format.interval == FrameInterval(numerator: 3600, denominator: 1))
    await camera.close()
  }

  @Test func anErrorThatLosesABufferRestartsTheStream() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    driver.deliver(7)
    try await receiver.wait { $0.sequences == [0] }
    driver.fail(capture_VIDIOC_DQBUF, .inputOutput)
    driver.wake()
    try await receiver.wait { $0.interruptions.count == 1 }
    try await eventually { driver.with { $0.streaming != nil } }
    driver.deliver(0)
    try await receiver.wait { $0.sequences == [0, 1] }
    #expect(receiver.state.discontinuities == [nil, .resumed])
    #expect(camera.counters.restarts == 1)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  @Test func aSilentDriverIsRestartedUntilItGivesFrames() async throws {
    let camera = try makeCamera(stall: .milliseconds(50), firstFrame: .milliseconds(100))
    _ = try await camera.startStreaming(request, into: receiver)
    driver.fail(capture_VIDIOC_STREAMON, .busy, .busy, .invalid)
    try await receiver.wait { $0.interruptions.count == 1 }
    try await eventually { camera.counters.restarts >= 2 }
    #expect(receiver.state.interruptions.count == 1, "told once")
    try await eventually {
      driver.deliver(0)
      return !receiver.state.sequences.isEmpty
    }
    #expect(receiver.state.discontinuities.first == .resumed)
    #expect(receiver.state.ended == nil)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  @Test func aDriverThatGivesOnlyDamagedFramesIsRestarted() async throws {
    let camera = try makeCamera(damaged: .milliseconds(50))
    _ = try await camera.startStreaming(request, into: receiver)
    try await eventually {
      driver.deliver(0, flags: V4L2_BUF_FLAG_ERROR)
      return !receiver.state.interruptions.isEmpty
    }
    #expect(receiver.state.interruptions[0].contains("only damaged or empty frames"))
    try await eventually {
      driver.deliver(0)
      return !receiver.state.sequences.isEmpty
    }
    #expect(receiver.state.discontinuities.first == .resumed)
    #expect(receiver.state.ended == nil)
    await camera.close()
  }

  @Test func theFirstFrameEndsThePatienceWithACameraThatStarts() async throws {
    let camera = try makeCamera(stall: .milliseconds(50))
    _ = try await camera.startStreaming(request, into: receiver)
    driver.deliver(0)
    try await receiver.wait { $0.interruptions.count == 1 }
    #expect(receiver.state.sequences == [0])
    await camera.close()
  }

  @Test func readersHearOfLowBuffersBeforeTheFrameThatIsNotMeant() async throws {
    receiver.keep()
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    for sequence in 0..<5 as Range<UInt32> { driver.deliver(sequence) }
    try await receiver.wait { $0.sequences.count == 5 }
    #expect(receiver.state.framesBeforeLowBuffers == [4])
    receiver.letGo()
    await camera.close()
  }

  @Test func anUnplugEndsTheStreamAndClosesEverything() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    driver.with { $0.isGone = true }
    driver.wake()
    try await receiver.wait { $0.ended != nil }
    #expect(receiver.state.ended?.code == .unavailable)
    try await eventually { driver.isReleased }
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.code == .unavailable)
  }

  @Test func aFrameKeepsItsMemoryAfterTheStreamIsStopped() async throws {
    receiver.keep()
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    driver.deliver(0)
    try await receiver.wait { $0.sequences == [0] }
    // A driver that cannot orphan mapped buffers.
    driver.fail(capture_VIDIOC_REQBUFS, .busy)
    await camera.stopStreaming()
    #expect(driver.with { $0.mappings } == 1)
    receiver.letGo()
    try await eventually { driver.with { $0.mappings } == 0 }
    await camera.close()
  }

  @Test func flaggedAndEmptyBuffersGoBackToTheDriver() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    for sequence in 0..<20 as Range<UInt32> { driver.deliver(sequence, flags: V4L2_BUF_FLAG_ERROR) }
    try await eventually { camera.counters.flagged >= 6 && driver.with { !$0.queued.isEmpty } }
    driver.deliver(40)
    try await receiver.wait { !$0.sequences.isEmpty }
    #expect(camera.counters.frames == 1)
    await camera.close()
  }

  @Test func aFrameThatItsSuccessorOvertookGoesBackToTheDriver() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    let order: [UInt32] = [1, 0, 2, 4, 3, 5]
    for number in order {
      driver.deliver(number, time: 10 + Int(number))
      try await eventually { driver.with { $0.done.isEmpty } }
    }
    try await receiver.wait { $0.sequences.count >= 4 }
    #expect(receiver.state.sequences == [0, 1, 3, 4])
    #expect(camera.counters.lost == 1)
    try await eventually { camera.counters.buffersLent == 0 }
    #expect(driver.with { $0.queued.count } == camera.counters.buffers)
    await camera.close()
  }

  @Test func timesThatNoClockHasAreZero() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    receiver.keep()
    for (number, time) in [-1, 5, .max].enumerated() {
      driver.deliver(UInt32(number), time: time)
      try await receiver.wait { $0.frames.count == number + 1 }
    }
    let times = receiver.state.frames.map(\.timestamp.nanoseconds)
    #expect(times == [0, 5_000_000_000, 0])
    receiver.letGo()
    await camera.close()
  }

  /// The driver flags all of them as monotonic.
  @Test func aTimeFarFromTheFramesArrivalIsOfAnUnknownClock() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    receiver.keep()
    let now = Int(MonotonicClock.now() / 1_000_000_000)
    let timeOfDay = 1_800_000_000
    for (number, time) in [now, now + 60, timeOfDay].enumerated() {
      driver.deliver(UInt32(number), time: time)
      try await receiver.wait { $0.frames.count == number + 1 }
    }
    #expect(receiver.state.frames.map(\.timestamp.clock) == [.monotonic, .unknown, .unknown])
    receiver.letGo()
    await camera.close()
  }

  @Test func aStopIsNoInterruption() async throws {
    let camera = try makeCamera()
    _ = try await camera.startStreaming(request, into: receiver)
    driver.deliver(0)
    try await receiver.wait { !$0.sequences.isEmpty }
    await camera.stopStreaming()
    #expect(receiver.state.interruptions == [])
    await camera.close()
  }

  @Test func nothingComesAfterAStop() async throws {
    let camera = try makeCamera(stall: .milliseconds(50), firstFrame: .milliseconds(100))
    _ = try await camera.startStreaming(request, into: receiver)
    for sequence in 0..<4 as Range<UInt32> { driver.deliver(sequence) }
    await camera.stopStreaming()
    let before = receiver.state
    try await Task.sleep(for: .milliseconds(150))
    #expect(receiver.state.sequences.count == before.sequences.count)
    #expect(receiver.state.interruptions == before.interruptions)
    await camera.close()
    try await eventually { driver.isReleased }
  }
}

/// Notes what a stream delivers.
final class Receiver: FrameReceiver {
  struct State {
    var sequences: [UInt64] = []
    var discontinuities: [StreamDiscontinuity.Kind?] = []
    var interruptions: [String] = []
    var ended: CaptureError?
    var framesBeforeLowBuffers: [Int] = []
    var keeps = false
    var frames: [Frame] = []
  }
  private let storage = Mutex(State())
  var state: State { storage.withLock { $0 } }

  func keep() { storage.withLock { $0.keeps = true } }
  func letGo() {
    storage.withLock {
      $0.keeps = false
      $0.frames = []
    }
  }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { true }
  func received(_ frame: Frame) {
    storage.withLock {
      $0.sequences.append(frame.sequence)
      $0.discontinuities.append(frame.discontinuity?.kind)
      if $0.keeps { $0.frames.append(frame) }
    }
  }
  func streamEvent(_ event: StreamEvent) {
    storage.withLock {
      switch event {
      case .interrupted(let reason): $0.interruptions.append(reason)
      case .ended(let error): $0.ended = error
      case .buffersLow: $0.framesBeforeLowBuffers.append($0.sequences.count)
      }
    }
  }

  func wait(until condition: (State) -> Bool) async throws { try await eventually { condition(state) } }
}

/// Waits for a condition, five seconds or longer: it counts looks, each of which takes longer on a busy machine.
func eventually(_ condition: () throws -> Bool) async throws {
  for _ in 0..<2500 {
    if try condition() { return }
    try await Task.sleep(for: .milliseconds(2))
  }
  try #require(Bool(false), "waited 5 s")
}
