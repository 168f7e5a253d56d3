import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureEngine
@testable import CaptureNode

extension RequestedPhotos {
  /// A place for photos whose bounds a test does not reach unless it sets them.
  static func bounded(
    count: Int = 16, bytes: Int = 1_000_000, time: Duration = .seconds(60), grace: Duration = .seconds(10)
  ) -> RequestedPhotos {
    RequestedPhotos(count: count, bytes: bytes, time: time, grace: grace)
  }
}

/// Requests for photos that come again with the same id.
@Suite(.timeLimit(.minutes(1))) struct RequestedPhotosTests {
  private let request = RequestedPhoto.Asked(photo: PhotoRequest(VideoRequest()))
  private func key(_ id: String) -> RequestedPhotos.Key { .init(origin: "camera", id: id) }

  /// What a call that follows it is told.
  @discardableResult private func result(_ photo: RequestedPhoto) async throws -> [PhotoEvent] {
    var events: [PhotoEvent] = []
    for try await (event, _) in photo.follow() { events.append(event) }
    return events
  }

  @Test func itIsTakenOnce() async throws {
    let taken = Mutex(0)
    let photos = RequestedPhotos.bounded()
    let work: PhotoWork = { _ in taken.withLock { $0 += 1 } }
    for _ in 0..<3 { _ = try await result(photos.photo(key("a"), request, work: work)) }
    _ = try await result(photos.photo(key("b"), request, work: work))
    #expect(taken.withLock { $0 } == 2)
  }

  @Test func oneThatFailedIsTakenAnew() async throws {
    let taken = Mutex(0)
    let photos = RequestedPhotos.bounded()
    let work: PhotoWork = { _ in
      let number = taken.withLock { number in
        number += 1
        return number
      }
      if number == 1 { throw CaptureError(.unavailable, "no frame") }
    }
    let failed = try photos.photo(key("a"), request, work: work)
    await #expect(throws: CaptureError(.unavailable, "no frame")) { try await result(failed) }
    // Whoever was told may ask again at once.
    #expect(try photos.photo(key("a"), request, work: work) !== failed)
  }

  @Test func itsRoomIsFreeBeforeItsEndIsTold() async throws {
    let photo = RequestedPhoto(request, grace: .seconds(10))
    let wasTold = Mutex<Bool?>(nil)
    photo.begin({ _ in }, makeRoom: { _ throws(CaptureError) in }) { _ in
      wasTold.withLock { $0 = photo.result != nil }
    }
    _ = try await result(photo)
    #expect(wasTold.withLock { $0 } == false)
  }

  @Test func anIDIsForOneRequest() throws {
    let photos = RequestedPhotos.bounded()
    _ = try photos.photo(key("a"), request) { _ in }
    var burst = request
    burst.burst = 3
    for other in [.init(photo: PhotoRequest(VideoRequest(quality: 5))), burst] {
      let error = #expect(throws: CaptureError.self) { try photos.photo(key("a"), other) { _ in } }
      #expect(error?.code == .invalidArgument && error?.details?.field == "settings.request_id")
    }
  }

  @Test func aBurstThatCameBeforeIsToldFromItsBeginning() async throws {
    let photos = RequestedPhotos.bounded()
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    var asked = request
    asked.burst = 2
    let work: PhotoWork = { send in
      try send([PhotoEvent(stage: .photo, settlingFrames: 1)])
      for await _ in permits { break }
      try send([PhotoEvent(stage: .photo, settlingFrames: 2)])
    }
    let first = try photos.photo(key("a"), asked, work: work)
    var events = first.follow().makeAsyncIterator()
    #expect(try await events.next()?.event.settlingFrames == 1)
    async let again = result(photos.photo(key("a"), asked, work: work))
    permit.yield()
    #expect(try await again.map(\.settlingFrames) == [1, 2])
    #expect(try await result(first).map(\.settlingFrames) == [1, 2])
  }

  @Test func burstsThatAreKeptHaveTheirBound() async throws {
    let photos = RequestedPhotos.bounded(bytes: 5_000)
    var asked = request
    asked.burst = 9
    let made = Mutex(0)
    let work: PhotoWork = { send in
      for _ in 0..<9 {
        try send([PhotoEvent(stage: .photo, data: Payload(copying: [UInt8](repeating: 0, count: 500)))])
        made.withLock { $0 += 1 }
      }
    }
    // One that was taken makes room.
    try await result(photos.photo(key("old"), request) { try $0([PhotoEvent(stage: .photo)]) })
    let burst = try photos.photo(key("a"), asked, work: work)
    let error = await #expect(throws: CaptureError.self) { try await result(burst) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotoBytes")
    #expect(made.withLock { $0 } == 3)
    // It has given its room back.
    asked.burst = 3
    let short: PhotoWork = { send in
      for _ in 0..<3 {
        try send([PhotoEvent(stage: .photo, data: Payload(copying: [UInt8](repeating: 0, count: 500)))])
      }
    }
    #expect(try await result(photos.photo(key("b"), asked, work: short)).count == 3)
  }

  @Test func aPhotoThatIsStoredHasItsRoomBefore() async throws {
    let photos = RequestedPhotos.bounded(bytes: 5_000)
    let unread = UnreadBytes(.unreadPhotoBytes, bound: 100_000, of: "photos")
    var asked = request
    asked.burst = 9
    let stored = Mutex(0)
    let work: PhotoWork = { send in
      for _ in 0..<9 {
        try send.reserve(2)
        stored.withLock { $0 += 1 }
        let events = [PhotoEvent(stage: .photo), PhotoEvent(stage: .photo)]
        try send(events, in: StoredPhotoRoom(room: try unread.room(for: 10_000)))
      }
    }
    let burst = try photos.photo(key("a"), asked, work: work)
    var told = 0
    let error = await #expect(throws: CaptureError.self) {
      for try await _ in burst.follow() { told += 1 }
    }
    #expect(error?.details?.limit == "keptPhotoBytes")
    #expect(stored.withLock { $0 } == 2 && told == 4 && unread.waiting == 0)
    // What was reserved for one that could not be stored is given back, too.
    let failing = try photos.photo(key("b"), asked) { send in
      try send.reserve(5)
      throw CaptureError(.unavailable, "the disk is full")
    }
    await #expect(throws: CaptureError(.unavailable, "the disk is full")) { try await result(failing) }
    let all = try photos.photo(key("c"), asked) { send in
      try send.reserve(5)
      try send(
        Array(repeating: PhotoEvent(stage: .photo), count: 5),
        in: StoredPhotoRoom(room: try unread.room(for: 10_000)))
    }
    #expect(try await result(all).count == 5)
  }

  /// What waits for a client counts until it is sent, whether the photo is still kept or not.
  @Test func whatACallHasNotReadHasRoomAndACallWithoutRoomEndsAlone() async throws {
    let photos = RequestedPhotos.bounded()
    let unread = UnreadBytes(.unreadPhotoBytes, bound: 800, of: "photos")
    let makeRoom: RequestedPhoto.MakeRoom = { events throws(CaptureError) in
      try unread.room(toResend: events)
    }
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let photo = try photos.photo(key("a"), request) { send in
      try send([PhotoEvent(stage: .willBegin)])
      for await _ in permits { break }
      try send([PhotoEvent(stage: .photo, data: Payload(copying: [UInt8](repeating: 0, count: 500)))])
    }
    var first = photo.follow(makeRoom).makeAsyncIterator()
    var second = photo.follow(makeRoom).makeAsyncIterator()
    #expect(try await first.next()?.event.stage == .willBegin)
    #expect(try await second.next()?.event.stage == .willBegin)
    #expect(unread.waiting == 0)
    permit.yield()
    await eventually("it is taken") { photo.result != nil }
    #expect(unread.waiting == 500)
    let others = [await outcome(of: &first), await outcome(of: &second)]
    #expect(others.filter { $0 == .photo }.count == 1)
    #expect(others.filter { $0 == nil }.count == 1)
    await eventually("it is sent") { unread.waiting == 0 }
    // It is there for a retry.
    #expect(try await result(photos.photo(key("a"), request) { _ in }).last?.stage == .photo)
  }

  @Test func thePhotoIsLargerThanTheBoundAndEachOfItsFilesIsSent() async throws {
    let photos = RequestedPhotos.bounded()
    let unread = UnreadBytes(.unreadPhotoBytes, bound: 800, of: "photos")
    let file = PhotoEvent(stage: .photo, data: Payload(copying: [UInt8](repeating: 0, count: 500)))
    let photo = try photos.photo(key("a"), request) { try $0([file, file]) }
    try await result(photo)
    // So it is in a call that comes again.
    var told = 0
    for try await _ in photo.follow({ events throws(CaptureError) in try unread.room(toResend: events) }) {
      told += 1
    }
    #expect(told == 2)
    await eventually("it is sent") { unread.waiting == 0 }
  }

  @Test func aPhotoThatIsStoredIsSentInTheRoomThatItHadBefore() async throws {
    let photos = RequestedPhotos.bounded()
    let unread = UnreadBytes(.unreadPhotoBytes, bound: 800, of: "photos")
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let data = Payload(copying: [UInt8](repeating: 0, count: 500))
    let photo = try photos.photo(key("a"), request) { send in
      let room = try unread.room(for: 700)
      for await _ in permits { break }
      try send([PhotoEvent(stage: .photo, data: data)], in: StoredPhotoRoom(room: room))
    }
    // Whatever becomes free is taken by others.
    var events = photo.follow { _ throws(CaptureError) in
      throw NodeLimit.unreadPhotoBytes.exceeded("others have it")
    }.makeAsyncIterator()
    permit.yield()
    await eventually("it is taken") { photo.result != nil }
    #expect(unread.waiting == 500)
    #expect(try await events.next()?.event.stage == .photo)
    #expect(try await events.next() == nil)
    await eventually("it is sent") { unread.waiting == 0 }
  }

  /// The stage of the next event; `nil`: there is no room for it.
  private func outcome(
    of events: inout AsyncThrowingStream<RequestedPhoto.Followed, any Error>.AsyncIterator
  ) async -> PhotoEvent.Stage? {
    do {
      return try await events.next()?.event.stage
    } catch {
      #expect((error as? CaptureError)?.details?.limit == "unreadPhotoBytes", "\(error)")
      return nil
    }
  }

  @Test func theOldestIsForgottenFirst() async throws {
    let photos = RequestedPhotos.bounded(count: 2)
    let work: PhotoWork = { _ in }
    let first = try photos.photo(key("a"), request, work: work)
    _ = try await result(first)
    await eventually("it is kept") { (try? photos.photo(key("a"), request, work: work)) === first }
    _ = try await result(photos.photo(key("b"), request, work: work))
    _ = try await result(photos.photo(key("c"), request, work: work))
    #expect(try photos.photo(key("a"), request, work: work) !== first)
  }

  @Test func theirBytesAreBoundedAndALargerPhotoIsNotKept() async throws {
    let photos = RequestedPhotos.bounded(bytes: 100_000)
    func take(_ id: String, _ bytes: Int) throws -> RequestedPhoto {
      try photos.photo(key(id), request) { send in
        try send([PhotoEvent(stage: .photo, data: Payload(copying: [UInt8](repeating: 0, count: bytes)))])
      }
    }
    /// Takes a photo whose bytes fit.
    func kept(_ id: String, _ bytes: Int) async throws -> RequestedPhoto {
      let photo = try take(id, bytes)
      _ = try await result(photo)
      await eventually("it is kept") { (try? take(id, bytes)) === photo }
      return photo
    }
    let (first, second) = (try await kept("a", 50_000), try await kept("b", 40_000))
    #expect(try take("a", 50_000) === first, "both have room")
    _ = try await kept("c", 50_000)
    await eventually("the oldest made room") { (try? take("a", 50_000)) !== first }
    #expect(second.result != nil)
    let large = try take("d", 100_000)
    _ = try await result(large)
    await eventually("it is not kept") { (try? take("d", 100_000)) !== large }
  }

  @Test func thoseThatAreBeingTakenAreBounded() async throws {
    let photos = RequestedPhotos.bounded(count: 1, grace: .zero)
    let endless: PhotoWork = { _ in try await Task.sleep(for: .seconds(3600)) }
    let first = try photos.photo(key("a"), request, work: endless)
    let error = #expect(throws: CaptureError.self) { try photos.photo(key("b"), request, work: endless) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotos")
    // Nobody follows it any more: it ends, and makes room.
    let call = Task { for try await _ in first.follow() {} }
    call.cancel()
    _ = await call.result
    await eventually("it has ended") { first.result != nil }
  }

  @Test func oneWhoseTimeIsOverIsForgotten() async throws {
    let photos = RequestedPhotos.bounded(time: .milliseconds(1))
    let work: PhotoWork = { _ in }
    let first = try photos.photo(key("a"), request, work: work)
    _ = try await result(first)
    await eventually("it is forgotten") { (try? photos.photo(key("a"), request, work: work)) !== first }
  }

  // MARK: A node's

  private static func request(_ id: String, burst: UInt32 = 0) -> CapturePhotoRequest {
    CapturePhotoRequest(
      device: "0",
      settings: PhotoSettings(settle: SettlingBound(longestMs: 0), requestID: id, burst: burst))
  }

  @Test func aNodeTakesAsManyAtOnceAsItsLimitSays() async throws {
    var limits = NodeLimits()
    limits[.keptPhotos] = 2
    // It does not start, so that its photos wait.
    let camera = FakeCamera()
    camera.state.withLock { $0.holdsStarting = true }
    let fixture = try await Fixture(FakeProvider([camera]), limits: limits)
    await withTaskGroup(of: RPCError?.self) { group in
      for id in ["a", "b", "c"] {
        group.addTask {
          await status {
            for try await _ in try await fixture.photos.capture(Self.request(id), options: bounded) {}
          }
        }
      }
      let error = await group.next() ?? nil
      #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotos")
      #expect(error?.details?.bound == 2)
      group.cancelAll()
      camera.releaseStart()
    }
    await fixture.stop()
  }

  @Test func aNodeKeepsAsManyBytesAsItsLimitSays() async throws {
    var limits = NodeLimits()
    limits[.keptPhotoBytes] = 50_000
    let camera = SyntheticProvider(cameras: [try #require(try SyntheticSpec.parse("synthetic:320x240@100"))])
    let fixture = try await Fixture(camera, limits: limits)
    // Each photo counts as 1,000 bytes at least.
    let error = await status {
      for try await _ in try await fixture.photos.capture(
        Self.request("a", burst: 100), options: bounded)
      {}
    }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotoBytes")
    #expect(error?.details?.bound == 50_000)
    await fixture.stop()
  }

  @Test func whoWatchesCamerasHearsOfPhotos() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let devices = DevicesClient(fixture.client)
    let events = try await devices.watch(WatchDevicesRequest(), options: CallOptions(window: 10))
    let seen = Mutex<[Bool]>([])
    let watching = Task {
      for try await event in events where event.kind == .changed {
        seen.withLock { $0.append(event.device?.capturingPhoto ?? false) }
      }
    }
    // Who looks late may have missed the beginning of a photo that is over.
    repeat {
      for try await _ in try await fixture.photos.capture(CapturePhotoRequest(device: "0"), options: bounded)
      {}
    } while !seen.withLock { $0.contains(true) }
    await eventually("its end is told") { seen.withLock { $0.last == false } }
    watching.cancel()
    await fixture.stop()
  }
}
