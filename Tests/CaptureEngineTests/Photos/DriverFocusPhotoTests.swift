import Capture3A
import CaptureControls
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// A driver that focuses all the time, and says whether it is at it (`V4L2_CID_AUTO_FOCUS_STATUS`).
@Suite struct DriverFocusPhotoTests {
  private let camera = FakeCamera()

  init() {
    camera.state.withLock { state in
      state.controls =
        [
          ControlDescription(
            id: .focusAbsolute, name: "focus_absolute", label: "Focus", type: .integer, maximum: 250),
          ControlDescription(
            id: .autoFocus, name: "focus_automatic_continuous", label: "Auto", type: .boolean, maximum: 1,
            defaultValue: 1),
          ControlDescription(
            id: .autoFocusStatus, name: "auto_focus_status", label: "Status", type: .bitmask, maximum: 7,
            flags: [.readOnly, .volatile]),
        ] + ControlDescription.manualExposure
      state.values[.autoFocusStatus] = .integer(1)
    }
  }

  @Test func aPhotoWaitsUntilTheDriverHasFocused() async throws {
    let device = try await engine(camera).device("0")
    let frames = Counter()
    let picture = try await outcome {
      try await device.capturePhoto(VideoRequest(), requested: 0) { _ in }
    } while: {
      guard await device.stream?.hub.consumers.contains(where: { $0 is PhotoConsumer }) == true else {
        return
      }
      if frames.next() == 9 { camera.state.withLock { $0.values[.autoFocusStatus] = .integer(2) } }
      camera.emit()
    }
    let settling = try #require(picture.description.settling)
    // The tenth is the first that the driver calls sharp.
    #expect(settling.provenance == .reported && settling.frames == 10, "\(settling)")
    // The next stream begins with what the driver said of this one: it is not believed at once.
    camera.state.withLock { $0.values[.autoFocusStatus] = .integer(2) }
    let next = try await outcome {
      try await device.capturePhoto(VideoRequest(), requested: 0) { _ in }
    } while: {
      if await device.stream?.hub.consumers.contains(where: { $0 is PhotoConsumer }) == true { camera.emit() }
    }
    #expect(try #require(next.description.settling).frames == Settling.span)
  }

  @Test func aPhotoOfAMomentIsTakenAlsoWhereTheDriverStillFocuses() async throws {
    let device = try await engine(camera).device("0")
    let asked = Mutex<UInt64>(0)
    var times: [UInt64] = []
    let photo = try await outcome {
      try await device.run { device in
        // The camera has to be started by then.
        let now = MonotonicClock.now()
        let moment = now + 3_000_000_000
        asked.withLock { $0 = moment }
        return try await device.photos.capture(
          PhotoRequest(VideoRequest(settling: .seconds(30))), at: .node(moment, bootID: ""), on: device,
          requested: now, progress: { _ in })
      }
    } while: {
      guard await device.isPhotoAwaited else { return }
      times.append(MonotonicClock.now())
      camera.emit(timestamp: .at(times.last!))
    }
    let moment = asked.withLock { $0 }
    let distance = try #require(photo.nearness).distance
    // Of all frames none is nearer.
    let nearest = try #require(times.map { $0 > moment ? $0 - moment : moment - $0 }.min())
    #expect(abs(abs(distance / .microseconds(1)) - Double(nearest) / 1000) < 1, "\(distance)")
    let settling = try #require(photo.picture.description.settling)
    #expect(settling.provenance == .assumed && settling.frames > 1, "\(settling)")
  }
}

/// Counts from 0.
private final class Counter {
  private var value = -1
  func next() -> Int {
    value += 1
    return value
  }
}
