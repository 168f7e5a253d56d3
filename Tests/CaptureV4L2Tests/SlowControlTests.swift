import CCaptureShims
import CVideo4Linux
import CaptureControls
import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization
import Testing

@testable import CaptureV4L2

/// A camera that takes seconds for a control transfer, as some webcams do.
struct SlowControlTests {
  private static let brightness = ControlID.brightness
  /// Nanoseconds.
  private static let slowness: UInt64 = 2_000_000_000

  @Test func aTransferOfTwoSecondsCostsTheStreamNoFrame() async throws {
    let (driver, transfer, receiver) = (FakeDriver(), Transfer(), Receiver())
    driver.with { state in
      state.answers[capture_VIDIOC_QUERY_EXT_CTRL] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self)
        entry.pointee.type = V4L2_CTRL_TYPE_INTEGER.rawValue
        (entry.pointee.maximum, entry.pointee.elems, entry.pointee.elem_size) = (255, 1, 4)
      }
      for request in [capture_VIDIOC_G_EXT_CTRLS, capture_VIDIOC_S_EXT_CTRLS] {
        state.answers[request] = { _ in }
      }
      state.delays[capture_VIDIOC_S_EXT_CTRLS] = { transfer.pass() }
    }
    let camera = try V4L2Camera(
      CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
      driver.system,
      timing: StreamTiming(stall: .seconds(10), firstFrame: .seconds(10), pauses: [.milliseconds(5)]))
    _ = try await camera.startStreaming(
      StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480)), into: receiver)
    let setting = Task {
      try await camera.set([ControlAssignment(Self.brightness, .integer(100))], pacing: nil)
    }
    try await eventually { transfer.hasBegun }
    let begun = MonotonicClock.now()
    var count = 0
    while MonotonicClock.now() - begun < Self.slowness {
      driver.deliver(UInt32(count))
      count += 1
      // A stream that waited for the transfer would not come to it: the transfer ends only after the last.
      try await receiver.wait { $0.sequences.count == count }
      try await Task.sleep(for: .milliseconds(33))
    }
    #expect(!transfer.hasEnded)
    transfer.end()
    let moment = try #require(try await setting.value.first)
    #expect(moment.ended - moment.began >= Self.slowness)
    #expect(receiver.state.sequences == (0..<count).map(UInt64.init))
    #expect(camera.counters.lost == 0 && camera.counters.restarts == 0)
    #expect(receiver.state.interruptions == [])
    await camera.close()
    try await eventually { driver.isReleased }
  }
}

/// A control transfer that goes on until it is ended.
private final class Transfer: Sendable {
  private let isUnderWay = Atomic<Bool>(false)
  private let isOver = Atomic<Bool>(false)
  private let gate = DispatchSemaphore(value: 0)

  var hasBegun: Bool { isUnderWay.load(ordering: .acquiring) }
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  func pass() {
    isUnderWay.store(true, ordering: .releasing)
    _ = gate.wait(timeout: .now() + .seconds(60))
    isOver.store(true, ordering: .releasing)
  }

  func end() { gate.signal() }
}
