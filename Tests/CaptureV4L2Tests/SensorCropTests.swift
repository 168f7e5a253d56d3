import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Synchronization
import Testing

@testable import CaptureV4L2

struct SensorCropTests {
  @Test(arguments: [true, false]) func aRefusalSaysWhereTheFormerCropDidNotComeBack(isTakenBack: Bool)
    async throws
  {
    let driver = FakeDriver()
    let size = Mutex(FrameSize(width: 640, height: 480))
    let sets = Mutex(0)
    driver.with { state in
      state.answers[capture_VIDIOC_G_SELECTION] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_selection.self)
        let now = size.withLock { $0 }
        let isDefault = entry.pointee.target == SelectionTarget.cropDefault.rawValue
        entry.pointee.r = v4l2_rect(
          left: 0, top: 0, width: UInt32(isDefault ? 640 : now.width),
          height: UInt32(isDefault ? 480 : now.height))
      }
      state.answers[capture_VIDIOC_S_SELECTION] = { argument in
        let area = argument.assumingMemoryBound(to: v4l2_selection.self).pointee.r
        size.withLock { $0 = FrameSize(width: Int(area.width), height: Int(area.height)) }
      }
      // It does not scale.
      state.answers[capture_VIDIOC_G_FMT] = { argument in
        argument.assumingMemoryBound(to: v4l2_format.self).pointee = FakeDriver.format(
          .yuyv, size.withLock { $0 })
      }
      state.delays[capture_VIDIOC_S_SELECTION] = {
        let isFirst = sets.withLock { sets in
          sets += 1
          return sets == 1
        }
        if !isFirst, !isTakenBack { driver.fail(capture_VIDIOC_S_SELECTION, Errno(rawValue: 5)) }
      }
    }
    let camera = try V4L2Camera(
      CameraDescription(id: CameraID(rawValue: "fake"), name: "Fake", driver: "fake", path: "/dev/fake"),
      driver.system)
    let error = await #expect(throws: CaptureError.self) {
      try await camera.setCrop(PixelArea(x: 0, y: 0, width: 320, height: 240), pacing: nil)
    }
    #expect(error?.message.hasPrefix("its driver does not scale: the picture would be 320x240") == true)
    #expect(error?.message.hasSuffix("so the new one stays") == !isTakenBack)
    #expect(size.withLock(\.width) == (isTakenBack ? 640 : 320))
    driver.with { $0.delays = [:] }
    await camera.close()
    #expect(size.withLock(\.width) == 640, "the next program has the whole sensor")
  }
}
