import CaptureModel
import CaptureSystem
import CaptureTestSupport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureEngine
@testable import CaptureNode

/// Requests for photos that come again with the same id.
@Suite(.timeLimit(.minutes(1))) struct RequestedPhotosTests {
  private let request = PhotoRequest(VideoRequest())
  private func key(_ id: String) -> RequestedPhotos.Key { .init(origin: "camera", id: id) }

  private func result(_ photo: RequestedPhoto) async throws -> Photo {
    for await _ in photo.follow() {}
    return try #require(photo.result).get()
  }

  @Test func itIsTakenOnce() async throws {
    let taken = Mutex(0)
    let photos = RequestedPhotos()
    let take = { @Sendable (_: @Sendable (PhotoProgress) -> Void) async throws -> Photo in
      taken.withLock { $0 += 1 }
      return Photo(files: [])
    }
    for _ in 0..<3 { _ = try await result(photos.photo(key("a"), request, take: take)) }
    _ = try await result(photos.photo(key("b"), request, take: take))
    #expect(taken.withLock { $0 } == 2)
  }

  @Test func oneThatFailedIsTakenAnew() async throws {
    let taken = Mutex(0)
    let photos = RequestedPhotos()
    let take = { @Sendable (_: @Sendable (PhotoProgress) -> Void) async throws -> Photo in
      let number = taken.withLock { number in
        number += 1
        return number
      }
      if number == 1 { throw CaptureError(.unavailable, "no frame") }
      return Photo(files: [])
    }
    let failed = try photos.photo(key("a"), request, take: take)
    for await _ in failed.follow() {}
    await eventually("it is forgotten") {
      (try? photos.photo(key("a"), request, take: take)) !== failed
    }
  }

  @Test func anIDIsForOneRequest() throws {
    let photos = RequestedPhotos()
    _ = try photos.photo(key("a"), request) { _ in Photo(files: []) }
    let error = #expect(throws: CaptureError.self) {
      try photos.photo(key("a"), PhotoRequest(VideoRequest(quality: 5))) { _ in Photo(files: []) }
    }
    #expect(error?.code == .invalidArgument && error?.details?.field == "settings.request_id")
  }

  @Test func theOldestIsForgottenFirst() async throws {
    let photos = RequestedPhotos(count: 2)
    let take = { @Sendable (_: @Sendable (PhotoProgress) -> Void) async throws -> Photo in Photo(files: []) }
    let first = try photos.photo(key("a"), request, take: take)
    _ = try await result(first)
    await eventually("it is kept") { (try? photos.photo(key("a"), request, take: take)) === first }
    _ = try await result(photos.photo(key("b"), request, take: take))
    _ = try await result(photos.photo(key("c"), request, take: take))
    #expect(try photos.photo(key("a"), request, take: take) !== first)
  }

  private static func photo(bytes: Int) -> Photo {
    let frame = Frame(
      payload: Payload(copying: [UInt8](repeating: 0, count: bytes)),
      format: StreamFormat(
        pixelFormat: .mjpeg, size: FrameSize(width: 8, height: 8), interval: nil, planes: []),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    let taken = TakenFrame(frame: frame, moment: FrameMoment(ordinal: 1, epoch: 0, time: 0, arrival: 0))
    return Photo(files: [PhotoFile(type: .jpeg, picture: Picture(taken, PictureDescription(frame)))])
  }

  @Test func theirBytesAreBoundedAndALargerPhotoIsNotKept() async throws {
    let photos = RequestedPhotos(bytes: 100)
    func take(_ id: String, _ bytes: Int) throws -> RequestedPhoto {
      try photos.photo(key(id), request) { _ in Self.photo(bytes: bytes) }
    }
    /// Takes a photo whose bytes fit.
    func kept(_ id: String, _ bytes: Int) async throws -> RequestedPhoto {
      let photo = try take(id, bytes)
      _ = try await result(photo)
      await eventually("it is kept") { (try? take(id, bytes)) === photo }
      return photo
    }
    let (first, second) = (try await kept("a", 60), try await kept("b", 40))
    #expect(try take("a", 60) === first, "both have room")
    _ = try await kept("c", 60)
    await eventually("the oldest made room") { (try? take("a", 60)) !== first }
    #expect(second.result != nil)
    let large = try take("d", 101)
    _ = try await result(large)
    await eventually("it is not kept") { (try? take("d", 101)) !== large }
  }

  @Test func thoseThatAreBeingTakenAreBounded() async throws {
    let photos = RequestedPhotos(count: 1, grace: .zero)
    let endless = { @Sendable (_: @Sendable (PhotoProgress) -> Void) async throws -> Photo in
      try await Task.sleep(for: .seconds(3600))
      return Photo(files: [])
    }
    let first = try photos.photo(key("a"), request, take: endless)
    let error = #expect(throws: CaptureError.self) { try photos.photo(key("b"), request, take: endless) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "keptPhotos")
    // Nobody follows it any more: it ends, and makes room.
    let call = Task { for await _ in first.follow() {} }
    call.cancel()
    await call.value
    await eventually("it has ended") { first.result != nil }
  }

  @Test func oneWhoseTimeIsOverIsForgotten() async throws {
    let photos = RequestedPhotos(time: .milliseconds(1))
    let take = { @Sendable (_: @Sendable (PhotoProgress) -> Void) async throws -> Photo in Photo(files: []) }
    let first = try photos.photo(key("a"), request, take: take)
    _ = try await result(first)
    await eventually("it is forgotten") { (try? photos.photo(key("a"), request, take: take)) !== first }
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
