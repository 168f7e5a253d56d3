import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

/// A camera's own JPEG that is damaged inside: ``Imaging/fake(permits:counts:)`` says which.
@Suite struct DamagedPhotoTests {
  static let bad: [UInt8] = [0xBA, 1, 2, 3]
  static let good: [UInt8] = [9, 8, 7, 6]
  let camera = FakeCamera()

  /// A photo of a camera whose frames are damaged until `damaged` of them have been looked into; how many were counted.
  private func photo(damaged: Int, _ request: VideoRequest = VideoRequest()) async throws
    -> (picture: Picture, corrupt: UInt64)
  {
    let found = Mutex(0)
    var imaging = Imaging.fake()
    let damage = imaging.damage
    imaging.damage = { jpeg, size in
      let damage = damage(jpeg, size)
      if damage != nil { found.withLock { $0 += 1 } }
      return damage
    }
    let device = try await engine(camera, imaging: imaging).device("0")
    let camera = camera
    let picture = try await outcome {
      try await device.capturePhoto(request, requested: 0) { _ in }
    } while: {
      // By then the one before has been looked into.
      guard await device.isPhotoAwaited else { return }
      camera.emit(bytes: found.withLock { $0 < damaged } ? Self.bad : Self.good)
    }
    return (picture, await device.status().corrupt)
  }

  @Test func theNextFrameIsTakenAndTheDamagedOneCounted() async throws {
    let (picture, corrupt) = try await photo(damaged: 3)
    #expect(picture.payload.bytes == Self.good)
    #expect(corrupt == 3)
  }

  /// Frames are emitted on this thread: if one waited for the check, the test would never end.
  @Test(.timeLimit(.minutes(1))) func otherFramesGoOnWhileAPhotoIsChecked() async throws {
    let isChecking = Mutex(false)
    let mayEnd = DispatchSemaphore(value: 0)
    var imaging = Imaging.fake()
    imaging.damage = { _, _ in
      isChecking.withLock { $0 = true }
      mayEnd.wait()
      return nil
    }
    let device = try await engine(camera, imaging: imaging).device("0")
    let sink = TestSink()
    let subscription = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    let photo = Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    await eventually("it is checked") {
      camera.emit(bytes: Self.good)
      return isChecking.withLock { $0 }
    }
    let before = sink.received.count
    for _ in 1...2 {
      camera.emit(bytes: Self.good)
      await eventually("the next one comes") { sink.received.count > before }
    }
    mayEnd.signal()
    #expect(try await photo.value.payload.bytes == Self.good)
    await device.unsubscribe(subscription)
  }

  @Test func uncheckedItIsTakenAsItIs() async throws {
    let (picture, corrupt) = try await photo(damaged: 1, VideoRequest(isChecked: false))
    #expect(picture.payload.bytes == Self.bad)
    #expect(corrupt == 0)
  }

  @Test func wholeRunsOfThemFailThePhotoWithTheirNumber() async throws {
    let error = await #expect(throws: CaptureError.self) {
      try await photo(damaged: .max)
    }
    #expect(error?.code == .dataLoss)
    #expect(error?.message.hasPrefix("20 frames of ") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("premature end") == true)
    #expect(camera.state.withLock(\.stops) == 1)
  }
}
