import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureV4L2

/// What the driver's buffers may take.
struct BufferMemoryTests {
  let driver = FakeDriver()
  let request = StreamRequest(pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480))
  let receiver = Receiver()

  private func makeCamera(_ limit: Int) throws -> V4L2Camera {
    return try V4L2Camera(
      CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
      driver.system, memory: BufferMemory(limit: limit))
  }

  @Test(arguments: [(6.0, 6), (5.9, 5), (3.2, 3), (2.0, 2), (100, 6)])
  func thereAreFewerBuffersWhereMemoryIsShort(held: Double, count: Int) async throws {
    let camera = try makeCamera(Int(held * Double(FakeDriver.bytes)))
    _ = try await camera.startStreaming(request, into: receiver)
    #expect(camera.counters.buffers == count)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  @Test func aPictureOfWhichNotTwoFitIsRefusedBeforeTheDeviceIsSet() async throws {
    let camera = try makeCamera(FakeDriver.bytes * 2 - 1)
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.code == .resourceExhausted)
    #expect(
      error?.message
        == "/dev/fake: 640x480 YUYV takes 2 buffers of 0.6 MB at least, and a camera's may take 1.2 MB in all: that is enough for "
        + "0.3 million pixels in this format. Ask for a smaller size, or raise limits.bufferBytesPerCamera in the node's configuration"
    )
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 0 && driver.calls(of: capture_VIDIOC_REQBUFS) == 0)
    await camera.close()
  }

  @Test func aDriverThatDoesNotTryIsSetBack() async throws {
    driver.fail(capture_VIDIOC_TRY_FMT, .notTTY)
    let camera = try makeCamera(FakeDriver.bytes)
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.code == .resourceExhausted)
    #expect(driver.calls(of: capture_VIDIOC_S_FMT) == 2, "set and set back")
    await camera.close()
  }

  @Test func aDriverThatMakesMoreBuffersThanFitIsRefusedAndFreed() async throws {
    driver.with { state in
      state.answers[capture_VIDIOC_REQBUFS] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_requestbuffers.self)
        if entry.pointee.count > 0 { entry.pointee.count = 8 }
      }
    }
    let camera = try makeCamera(FakeDriver.bytes * 4)
    let error = await #expect(throws: CaptureError.self) {
      try await camera.startStreaming(request, into: receiver)
    }
    #expect(error?.message.contains("takes 8 buffers") == true, "\(error?.message ?? "")")
    #expect(driver.calls(of: capture_VIDIOC_REQBUFS) == 2, "asked for, and freed")
    #expect(driver.with { $0.mappings } == 0)
    await camera.close()
    try await eventually { driver.isReleased }
  }

  /// In a range of sizes the driver's own size counts, as it was before the test's first stream changed it.
  @Test func thePresentSizeIsReadWhenTheCameraAppears() async throws {
    driver.with { state in
      state.answers[capture_VIDIOC_ENUM_FRAMESIZES] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
        entry.pointee.type = V4L2_FRMSIZE_TYPE_CONTINUOUS.rawValue
        entry.pointee.stepwise = v4l2_frmsize_stepwise(
          min_width: 16, max_width: 16384, step_width: 1, min_height: 16, max_height: 8640, step_height: 1)
      }
    }
    let camera = try makeCamera(256_000_000)
    driver.with { $0.format = FakeDriver.format(.yuyv, FrameSize(width: 320, height: 240)) }
    #expect(try await camera.formats()[0].sizes[0].current == FrameSize(width: 640, height: 480))
    await camera.close()
    driver.with { $0.format = FakeDriver.format(.yuyv, FrameSize(width: 16384, height: 8640)) }
    let second = try makeCamera(256_000_000)
    #expect(try await second.formats()[0].sizes[0].current == nil, "two buffers of it would not fit")
    await second.close()
  }
}
