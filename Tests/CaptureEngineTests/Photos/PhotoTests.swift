import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

@Suite struct PhotoTests {
  @Test func aPhotoIsAFrameExposedAfterTheRequest() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    let requested = MonotonicClock.now()
    let waits = Mutex(false)
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: requested) { progress in
        if case .willCapture = progress { waits.withLock { $0 = true } }
      }
    }
    await eventually("the photo waits for its frame") { waits.withLock { $0 } }
    // The one that was being exposed when the photo was asked for is not it.
    camera.emit(timestamp: .at(requested - 1))
    camera.emit(timestamp: .at(requested))
    let picture = try await photo.value
    #expect(picture.description.timestamp.nanoseconds == requested)
    #expect(picture.payload.bytes == [92])
    #expect(camera.state.withLock(\.starts) == 1)
  }

  @Test func anIdleCameraIsStartedAtItsLargestSizeAndStoppedAfterwards() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: MonotonicClock.now()) { _ in }
    }
    await eventually("the camera runs") { camera.state.withLock { $0.stream != nil } }
    await eventually("the frame is taken") {
      camera.emit()
      return camera.state.withLock(\.stops) == 1
    }
    let picture = try await photo.value
    #expect(picture.description.size == FrameSize(width: 1920, height: 1080))
    #expect(picture.description.pixelFormat == .mjpeg)
  }

  @Test func aPhotoEndsWithItsCamera() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: MonotonicClock.now()) { _ in }
    }
    await eventually("the camera runs") { camera.state.withLock { $0.stream != nil } }
    camera.send(.ended(CaptureError(.unavailable, "unplugged")))
    await #expect(throws: CaptureError(.unavailable, "unplugged")) { try await photo.value }
  }

  @Test func aCancelledPhotoLeavesTheCameraFree() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: MonotonicClock.now()) { _ in }
    }
    await eventually("the camera runs") { camera.state.withLock { $0.stream != nil } }
    photo.cancel()
    await #expect(throws: CaptureError.self) { try await photo.value }
    #expect(camera.state.withLock(\.stops) == 1)
  }

  @Test func theLastToLeaveIsThePhotoWhereItOutstaysTheStreamsReaders() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    let waits = Mutex(false)
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: 0) { progress in
        if case .willCapture = progress { waits.withLock { $0 = true } }
      }
    }
    await eventually("the photo waits for its frame") { waits.withLock { $0 } }
    await device.unsubscribe(subscription)
    #expect(camera.state.withLock(\.stops) == 0)
    camera.emit()
    _ = try await photo.value
    #expect(camera.state.withLock(\.stops) == 1)
  }

  @Test func frameTimesMeanWhatTheDriverSays() {
    let second: UInt64 = 1_000_000_000
    let interval = FrameInterval(rate: 10)
    func accepts(_ time: UInt64, _ clock: FrameTimestamp.Clock, _ source: FrameTimestamp.Source) -> Bool {
      var filter = ExposureFilter(requested: second)
      let timestamp = FrameTimestamp(nanoseconds: time, clock: clock, source: source)
      return filter.accepts(timestamp, interval: interval, at: second + 1)
    }
    #expect(!accepts(second - 1, .monotonic, .startOfExposure))
    #expect(accepts(second, .monotonic, .startOfExposure))
    #expect(!accepts(second + 99_999_999, .monotonic, .endOfFrame))
    #expect(accepts(second + 100_000_000, .monotonic, .endOfFrame))
    #expect(!accepts(second * 5, .unknown, .startOfExposure))
  }

  @Test func withoutAUsableClockTheFramesInDoubtAreLeftOut() {
    var filter = ExposureFilter(requested: 1_000_000_000)
    let wild = FrameTimestamp(nanoseconds: .max / 2, clock: .monotonic, source: .startOfExposure)
    let answers = (0..<3).map { _ in filter.accepts(wild, interval: nil, at: 1_000_000_000) }
    #expect(answers == [false, false, true])
  }
}
