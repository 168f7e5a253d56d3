import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// JPEGs that are damaged inside, where photos are taken of a moment, in bursts and in brackets.
@Suite(.timeLimit(.minutes(1))) struct DamagedMomentTests {
  private static let bad = DamagedPhotoTests.bad
  private static let good = DamagedPhotoTests.good
  private let camera = FakeCamera()
  /// How many frames were found damaged.
  private let found = Found()

  private final class Found: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  private func device(isStreaming: Bool = true) async throws -> Device {
    var imaging = Imaging.fake()
    imaging.damage = { [found] jpeg, _ in
      guard jpeg.bytes.first == Self.bad[0] else { return nil }
      found.add()
      return "premature end"
    }
    let device = try await engine(camera, imaging: imaging).device("0")
    if isStreaming { _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1") }
    return device
  }

  /// A frame where a photo waits for one, damaged until so many have been found.
  private func emit(to device: Device, damaged: Int) async {
    guard await device.isPhotoAwaited else { return }
    camera.emit(bytes: found.value < damaged ? Self.bad : Self.good)
  }

  private func photo(of device: Device, at time: PhotoTime, requested: UInt64 = MonotonicClock.now())
    async throws -> Picture
  {
    try await device.run { device in
      try await device.photos.capture(
        PhotoRequest(VideoRequest()), at: time, on: device, requested: requested,
        progress: { _ in }
      ).picture
    }
  }

  /// So that the newest frame is too old to be the present one.
  private static var later: UInt64 { MonotonicClock.now() + 10_000_000_000 }

  /// A photo of a moment that lies so many seconds ahead when it is asked for, however late a busy machine comes to that.
  private func photo(of device: Device, secondsAhead: UInt64) async throws -> Picture {
    try await device.run { device in
      let now = MonotonicClock.now()
      return try await device.photos.capture(
        PhotoRequest(VideoRequest()), at: .node(now + secondsAhead * 1_000_000_000, bootID: ""), on: device,
        requested: now, progress: { _ in }
      ).picture
    }
  }

  private func expectCounted(_ device: Device, atLeast least: Int) async {
    #expect(found.value >= least)
    #expect(await device.status().corrupt == UInt64(found.value))
  }

  private func expectAllDamaged(_ error: CaptureError?, _ frames: String = "20 frames of ") {
    #expect(error?.code == .dataLoss && error?.details?.reason == .damagedPicture)
    let text = error?.message ?? ""
    #expect(text.contains(frames) && text.contains("premature end") && text.contains("cable"), "\(text)")
  }

  // MARK: Now

  @Test func nowIsTheNewestWholeFrame() async throws {
    let device = try await device()
    camera.emit(bytes: Self.good)
    for _ in 0..<2 { camera.emit(bytes: Self.bad) }
    #expect(try await photo(of: device, at: .now, requested: 0).payload.bytes == Self.good)
    #expect(found.value == 2)
    await expectCounted(device, atLeast: 2)
  }

  @Test func whereAllKeptOnesAreDamagedTheNextOneIsTaken() async throws {
    let device = try await device()
    for _ in 0..<3 { camera.emit(bytes: Self.bad) }
    let picture = try await outcome {
      try await photo(of: device, at: .now, requested: 0)
    } while: {
      await emit(to: device, damaged: 5)
    }
    #expect(picture.payload.bytes == Self.good)
    await expectCounted(device, atLeast: 5)
  }

  @Test func nowWithoutAKeptFrameIsTheNextWholeOne() async throws {
    let device = try await device()
    let picture = try await outcome {
      try await photo(of: device, at: .now, requested: Self.later)
    } while: {
      await emit(to: device, damaged: 3)
    }
    #expect(picture.payload.bytes == Self.good)
    await expectCounted(device, atLeast: 3)
  }

  @Test(arguments: [true, false]) func nowEndsAfterTwenty(isKept: Bool) async throws {
    let device = try await device()
    if isKept { for _ in 0..<25 { camera.emit(bytes: Self.bad) } }
    let error = await #expect(throws: CaptureError.self) {
      try await outcome {
        try await photo(of: device, at: .now, requested: isKept ? 0 : Self.later)
      } while: {
        await emit(to: device, damaged: .max)
      }
    }
    expectAllDamaged(error)
    #expect(found.value == 20)
  }

  @Test func itsSubscriberMayLeaveAndTheCameraStopsAfterIt() async throws {
    let device = try await device(isStreaming: false)
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    let photo = Task { try await self.photo(of: device, at: .now, requested: Self.later) }
    await eventually("it waits for its frame") { await device.isPhotoAwaited }
    await device.unsubscribe(subscription)
    _ = try await outcome {
      try await photo.value
    } while: {
      await emit(to: device, damaged: 2)
    }
    await eventually("the camera has stopped") { camera.state.withLock(\.stops) == 1 }
  }

  // MARK: Another moment

  /// Frames a millisecond apart, the last of the present. Returns the present.
  private func emit(_ frames: [[UInt8]]) -> UInt64 {
    let now = MonotonicClock.now()
    for (index, bytes) in frames.enumerated() {
      camera.emit(timestamp: .at(now - UInt64(frames.count - 1 - index) * 1_000_000), bytes: bytes)
    }
    return now
  }

  @Test func ofAMomentThatHasPassedTheNearestWholeOneIsTaken() async throws {
    let device = try await device()
    let now = emit([Self.good] + Array(repeating: Self.bad, count: 3))
    let picture = try await photo(of: device, at: .node(now, bootID: ""))
    #expect(picture.payload.bytes == Self.good && picture.description.sequence == 0)
    #expect(found.value == 3)
    await expectCounted(device, atLeast: 3)
  }

  @Test(arguments: [(25, "20 frames of "), (3, "3 frames of "), (1, "the one frame of ")])
  func aMomentThatHasPassedEndsWithItsFramesOrAfterTwenty(kept: Int, text: String) async throws {
    let device = try await device()
    let now = emit(Array(repeating: Self.bad, count: kept))
    let error = await #expect(throws: CaptureError.self) {
      try await photo(of: device, at: .node(now, bootID: ""))
    }
    expectAllDamaged(error, text)
    #expect(found.value == min(kept, 20))
  }

  @Test(arguments: [true, false]) func ofAMomentToComeTheNextWholeOneIsTaken(isStreaming: Bool) async throws {
    let device = try await device(isStreaming: isStreaming)
    let picture = try await outcome {
      // An idle camera has to be started by then.
      try await photo(of: device, secondsAhead: isStreaming ? 1 : 3)
    } while: {
      await emit(to: device, damaged: 3)
    }
    #expect(picture.payload.bytes == Self.good)
    await expectCounted(device, atLeast: 3)
  }

  @Test func aMomentToComeEndsAfterTwenty() async throws {
    let device = try await device()
    let error = await #expect(throws: CaptureError.self) {
      try await outcome {
        try await photo(of: device, secondsAhead: 1)
      } while: {
        await emit(to: device, damaged: .max)
      }
    }
    expectAllDamaged(error)
    #expect(found.value == 20)
  }

  // MARK: Several photos

  private func burst(
    _ count: Int, of device: Device, deliver: @escaping @Sendable (SequencePhoto) -> Void,
    while step: () async -> Void
  ) async throws {
    try await outcome {
      try await device.run { device in
        try await device.photos.captureBurst(
          count, PhotoRequest(VideoRequest(settling: .zero)), on: device, requested: 0, progress: { _ in },
          deliver: { photo throws(CaptureError) in deliver(photo) })
      }
    } while: {
      await step()
    }
  }

  @Test func aBurstCountsDamagedFramesAsLost() async throws {
    let device = try await device(isStreaming: false)
    let photos = Mutex<[SequencePhoto]>([])
    var emitted = 0
    try await burst(3, of: device) { photo in
      photos.withLock { $0.append(photo) }
    } while: {
      guard camera.state.withLock({ $0.stream != nil }) else { return }
      camera.emit(bytes: emitted % 2 == 0 ? Self.bad : Self.good)
      emitted += 1
    }
    let all = photos.withLock { $0 }
    #expect(all.map(\.place.lost) == [0, 1, 1])
    #expect(all.allSatisfy { $0.photo.picture.payload.bytes == Self.good })
    await expectCounted(device, atLeast: 2)
  }

  @Test func aBurstOfDamagedFramesSaysHowManyThereWere() async throws {
    let device = try await device(isStreaming: false)
    let made = Mutex(0)
    let error = await #expect(throws: CaptureError.self) {
      try await burst(500, of: device) { _ in
        made.withLock { $0 += 1 }
      } while: {
        guard camera.state.withLock({ $0.stream != nil }) else { return }
        camera.emit(bytes: made.withLock { $0 } == 0 ? Self.good : Self.bad)
      }
    }
    expectAllDamaged(error)
    let count = made.withLock { $0 }
    #expect(error?.message.hasPrefix("the burst ended with \(count) of 500 photos: ") == true)
    #expect(found.value == 20)
  }

  private func bracket(of device: Device, damaged: Int) async throws -> [SequencePhoto] {
    let photos = Mutex<[SequencePhoto]>([])
    let steps = [BracketStep.exposure(duration: 0.01), .exposure(duration: 0.02)]
    return try await outcome {
      try await device.run { device in
        try await device.photos.captureBracket(
          steps, PhotoRequest(VideoRequest(settling: .zero)), on: device, progress: { _ in }
        ) { photo throws(CaptureError) in
          photos.withLock { $0.append(photo) }
        }
      }
      return photos.withLock { $0 }
    } while: {
      await emit(to: device, damaged: damaged)
    }
  }

  @Test func aBracketLeavesDamagedFramesOut() async throws {
    camera.state.withLock { $0.controls = ControlDescription.manualExposure }
    let device = try await device(isStreaming: false)
    let photos = try await bracket(of: device, damaged: 3)
    #expect(photos.map { $0.photo.picture.payload.bytes } == [Self.good, Self.good])
    await expectCounted(device, atLeast: 3)
  }

  @Test func aBracketOfDamagedFramesSaysHowManyThereWere() async throws {
    camera.state.withLock { $0.controls = ControlDescription.manualExposure }
    let device = try await device(isStreaming: false)
    let error = await #expect(throws: CaptureError.self) {
      _ = try await bracket(of: device, damaged: .max)
    }
    expectAllDamaged(error)
    #expect(found.value == 20 && camera.state.withLock(\.stops) == 1)
  }
}
