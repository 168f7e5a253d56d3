import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// A photo of every frame.
@Suite struct BurstTests {
  private static func taken(_ sequence: UInt64, bytes: Int) -> TakenFrame {
    let time = MonotonicClock.now()
    let format = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 16, height: 16), interval: FrameInterval(rate: 100),
      planes: [])
    let frame = Frame(
      payload: Payload(copying: [UInt8](repeating: 0, count: bytes)), format: format, sequence: sequence,
      timestamp: FrameTimestamp(nanoseconds: time, clock: .monotonic, source: .startOfExposure))
    return TakenFrame(
      frame: frame, moment: FrameMoment(ordinal: sequence + 1, epoch: 0, time: time, arrival: time))
  }

  @Test func framesThatWaitAreBoundedAndThoseBeforeCome() async throws {
    let consumer = BurstConsumer(requested: 0, bound: 250)
    #expect(consumer.take(Self.taken(0, bytes: 100)) == .stay)
    #expect(consumer.take(Self.taken(1, bytes: 100)) == .stay)
    #expect(consumer.take(Self.taken(2, bytes: 100)) == .done)
    #expect(consumer.take(Self.taken(3, bytes: 10)) == .done)
    #expect(try await consumer.next().frame.sequence == 0)
    #expect(try await consumer.next().frame.sequence == 1)
    let end = await refusal { _ = try await consumer.next() }
    #expect(end?.code == .resourceExhausted && end?.details?.limit == "burstBytesPerCamera")
  }

  @Test func oneThatHasBecomeAPhotoMakesRoom() {
    let consumer = BurstConsumer(requested: 0, bound: 150)
    for number in 0..<10 {
      let frame = Self.taken(UInt64(number), bytes: 100)
      #expect(consumer.take(frame) == .stay)
      consumer.noteMade(frame)
    }
    // One alone is always taken, however large.
    #expect(consumer.take(Self.taken(10, bytes: 1000)) == .stay)
  }

  private static func burst(
    _ count: Int, _ device: Device, deliver: @escaping @Sendable (SequencePhoto) throws(CaptureError) -> Void
  ) async throws {
    let requested = MonotonicClock.now()
    var request = VideoRequest(encoding: .raw)
    request.settling = .zero
    let wanted = PhotoRequest(request)
    try await device.run { device in
      try await device.photos.captureBurst(
        count, wanted, on: device, requested: requested, progress: { _ in }, deliver: deliver)
    }
  }

  @Test func itHasEveryFrameAndTheCameraIsIdleAfterwards() async throws {
    let provider = SyntheticProvider(cameras: [try SyntheticSpec.parse("synthetic:160x120@50")!])
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(provider)
    let device = try engine.device("0")
    let photos = Mutex<[(UInt64, SequencePlace)]>([])
    try await Self.burst(20, device) { photo throws(CaptureError) in
      photos.withLock { $0.append((photo.photo.picture.description.sequence, photo.place)) }
    }
    let all = photos.withLock { $0 }
    #expect(all.map(\.1.number) == Array(1...20))
    for (one, next) in zip(all, all.dropFirst()) { #expect(next.0 == one.0 + 1 + UInt64(next.1.lost)) }
    #expect(await device.stream == nil)
    await engine.shutDown()
  }

  @Test func whereThereIsNoRoomItSaysHowManyThereAre() async throws {
    let provider = SyntheticProvider(cameras: [try SyntheticSpec.parse("synthetic:160x120@50")!])
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(provider)
    let device = try engine.device("0")
    do {
      try await Self.burst(20, device) { photo throws(CaptureError) in
        if photo.place.number == 4 { throw NodeLimit.unreadPhotoBytes.exceeded("the client does not read") }
      }
      Issue.record("it went on")
    } catch let error as CaptureError {
      #expect(error.code == .resourceExhausted && error.message.contains("with 3 of 20 photos"), "\(error)")
    }
    #expect(await device.stream == nil)
    await engine.shutDown()
  }
}
