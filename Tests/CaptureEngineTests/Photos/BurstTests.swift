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
    .ofPhoto(sequence, bytes: bytes)
  }

  @Test func framesThatWaitAreBoundedAndThoseBeforeCome() async throws {
    let consumer = BurstConsumer(of: .bounded(bytes: 250), requested: 0, count: 100)
    // The first one is the driver's, and takes no room.
    for number in 0..<3 { #expect(consumer.take(Self.taken(UInt64(number), bytes: 100)) == .stay) }
    #expect(consumer.take(Self.taken(3, bytes: 100)) == .done)
    #expect(consumer.take(Self.taken(4, bytes: 10)) == .done)
    for number in 0..<3 { #expect(try await consumer.next().taken.frame.sequence == number) }
    let end = await refusal { _ = try await consumer.next() }
    #expect(end?.code == .resourceExhausted && end?.details?.limit == "burstBytesPerCamera")
  }

  @Test func oneThatHasBecomeAPhotoMakesRoom() async throws {
    let photos = PhotosUnderWay.bounded(bytes: 150)
    let consumer = BurstConsumer(of: photos, requested: 0, count: 100)
    let other = try photos.keep(Self.taken(0, bytes: 100))
    for number in 1..<10 {
      #expect(consumer.take(Self.taken(UInt64(number), bytes: 100)) == .stay)
      #expect(photos.waitingBytes == 100)
      _ = try await consumer.next()
    }
    #expect(photos.waitingBytes == 0)
    // One alone always has room, however large.
    #expect(consumer.take(Self.taken(10, bytes: 1000)) == .stay)
    #expect(consumer.take(Self.taken(11, bytes: 1)) == .done)
    withExtendedLifetime(other) {}
  }

  @Test func aHundredBurstsCountTogetherAndHaveOneCopyOfAFrame() async throws {
    let photos = PhotosUnderWay.bounded(bytes: 350)
    let bursts = (0..<100).map { _ in BurstConsumer(of: photos, requested: 0, count: 100) }
    for number in 0..<5 {
      let frame = Self.taken(UInt64(number), bytes: 100)
      for burst in bursts { #expect(burst.take(frame) == (number < 4 ? .stay : .done)) }
    }
    #expect(photos.waitingBytes == 300)
    for _ in 0..<4 {
      var payloads: Set<ObjectIdentifier> = []
      for burst in bursts { payloads.insert(ObjectIdentifier(try await burst.next().taken.frame.payload)) }
      #expect(payloads.count == 1)
    }
    #expect(photos.waitingBytes == 0)
  }

  @Test func oneThatHasEnoughFramesLeavesTheRoomToOthers() async throws {
    let photos = PhotosUnderWay.bounded(bytes: 250)
    let burst = BurstConsumer(of: photos, requested: 0, count: 2)
    for number in 0..<5 { #expect(burst.take(Self.taken(UInt64(number), bytes: 100)) == .stay) }
    // The first one is the driver's.
    #expect(photos.waitingBytes == 100)
    let next = Self.taken(5, bytes: 100)
    #expect(!burst.wants(next.moment))
    // One of the two was damaged.
    burst.wantOneMore()
    #expect(burst.wants(next.moment) && burst.take(next) == .stay && !burst.wants(next.moment))
    for number: UInt64 in [0, 1, 5] { #expect(try await burst.next().taken.frame.sequence == number) }
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
