import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureV4L2

struct FormatListTests {
  let driver = FakeDriver()

  private func sizes(current: FrameSize? = nil) throws -> [SizeOption] {
    let device = try VideoDevice(path: "/dev/fake", system: driver.system)
    return try device.formatList(.singlePlanar, current: current)[0].sizes
  }

  @Test func listsDiscreteSizesAndIntervalsShortestFirst() throws {
    let intervals = [30, 15].map { FrameInterval(numerator: 1, denominator: $0)! }
    #expect(
      try sizes() == [
        SizeOption(discrete: FrameSize(width: 640, height: 480), intervals: .discrete(intervals))
      ])
  }

  @Test func listsARangeOfSizesWithTheIntervalsOfItsLargest() throws {
    driver.with { state in
      state.answers[capture_VIDIOC_ENUM_FRAMESIZES] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
        entry.pointee.type = V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
        entry.pointee.stepwise = v4l2_frmsize_stepwise(
          min_width: 32, max_width: 1920, step_width: 2, min_height: 16, max_height: 1080, step_height: 4)
      }
      state.answers[capture_VIDIOC_ENUM_FRAMEINTERVALS] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
        precondition(entry.pointee.width == 1920 && entry.pointee.height == 1080)
        entry.pointee.type = V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue
        entry.pointee.stepwise.min = v4l2_fract(numerator: 1, denominator: 60)
        entry.pointee.stepwise.max = v4l2_fract(numerator: 1, denominator: 1)
        entry.pointee.stepwise.step = v4l2_fract(numerator: 1, denominator: 1)
      }
    }
    let range = SizeOption(
      from: FrameSize(width: 32, height: 16), to: FrameSize(width: 1920, height: 1080),
      step: FrameSize(width: 2, height: 4),
      intervals: .range(
        minimum: FrameInterval(numerator: 1, denominator: 60)!,
        maximum: FrameInterval(numerator: 1, denominator: 1)!, step: nil))
    #expect(try sizes() == [range])
  }

  /// Up to 16384x8640 in steps of 2.
  private func offerAnySize() {
    driver.with { state in
      state.answers[capture_VIDIOC_ENUM_FRAMESIZES] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
        entry.pointee.type = V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
        entry.pointee.stepwise = v4l2_frmsize_stepwise(
          min_width: 16, max_width: 16384, step_width: 2, min_height: 16, max_height: 8640, step_height: 2)
      }
    }
  }

  @Test func ofARangeTheDriversPresentSizeIsTold() throws {
    offerAnySize()
    let current = FrameSize(width: 1280, height: 720)
    #expect(try sizes(current: current)[0].current == current)
    #expect(try sizes(current: FrameSize(width: 1281, height: 720))[0].current == nil, "no size of the range")
    #expect(try sizes()[0].current == nil)
  }

  @Test func theIntervalsOfARangeAreThoseOfTheDriversPresentSize() throws {
    offerAnySize()
    driver.with { state in
      state.answers[capture_VIDIOC_ENUM_FRAMEINTERVALS] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
        precondition(entry.pointee.width == 1280 && entry.pointee.height == 720)
        entry.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        entry.pointee.discrete = v4l2_fract(numerator: 1, denominator: 60)
      }
    }
    #expect(
      try sizes(current: FrameSize(width: 1280, height: 720))[0].intervals
        == .discrete([FrameInterval(rate: 60)!]))
  }

  @Test func aDriverThatListsNoSizesHasItsPresentOne() throws {
    driver.fail(capture_VIDIOC_ENUM_FRAMESIZES, .notTTY)
    driver.fail(capture_VIDIOC_ENUM_FRAMEINTERVALS, .notTTY)
    #expect(
      try sizes() == [SizeOption(discrete: FrameSize(width: 640, height: 480), intervals: .unknown)])
  }

  @Test func anEnumerationThatNeverEndsIsCutOff() throws {
    driver.with { state in
      state.answers[capture_VIDIOC_ENUM_FRAMEINTERVALS] = { argument in
        let entry = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
        entry.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        entry.pointee.discrete = v4l2_fract(numerator: 1, denominator: 30)
      }
    }
    let interval = FrameInterval(numerator: 1, denominator: 30)!
    #expect(try sizes()[0].intervals == .discrete([interval]))
  }

  @Test func anUnplugWhileListingIsAnError() throws {
    driver.fail(capture_VIDIOC_ENUM_FRAMESIZES, .noDevice)
    #expect(throws: Errno.noDevice) { try sizes() }
  }
}
