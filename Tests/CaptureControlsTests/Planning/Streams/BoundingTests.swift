import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct BoundingTests {
  private func interval(_ numerator: UInt32, _ denominator: UInt32) -> FrameInterval {
    FrameInterval(numerator: numerator, denominator: denominator)!
  }

  private func format(_ intervals: IntervalOptions) -> FormatDescription {
    FormatDescription(
      pixelFormat: .yuyv, description: "YUYV",
      sizes: [
        SizeOption(discrete: FrameSize(width: 640, height: 480), intervals: intervals),
        SizeOption(discrete: FrameSize(width: 1280, height: 720), intervals: .discrete([interval(1, 5)])),
      ])
  }

  @Test func whatLastsTooLongOrTooShortIsLeftOut() {
    let webcam = format(.discrete([interval(1, 60), interval(333_333, 10_000_000), interval(1, 15)]))
    let bounded = webcam.bounded(by: .init(minimum: interval(1, 30), maximum: interval(1, 20)))
    // 30.00003 frames a second are 30.
    #expect(bounded?.sizes.map(\.intervals) == [.discrete([interval(333_333, 10_000_000)])])
    #expect(bounded?.sizes.first?.minimum.width == 640)
    #expect(webcam.bounded(by: .init(minimum: interval(1, 29), maximum: interval(1, 16))) == nil)
    #expect(webcam.bounded(by: .init()) == webcam)
    #expect(webcam.bounded(by: .init(maximum: interval(1, 100))) == nil)
    #expect(webcam.bounded(by: .init(minimum: interval(1, 1))) == nil)
  }

  @Test func aRangeIsCutAtBothEnds() {
    let any = format(.range(minimum: interval(1, 120), maximum: interval(1, 1), step: nil))
    let bounded = any.bounded(by: .init(minimum: interval(1, 50), maximum: interval(1, 10)))
    #expect(
      bounded?.sizes.map(\.intervals)
        == [.range(minimum: interval(1, 50), maximum: interval(1, 10), step: nil)])
    let open = any.bounded(by: .init(maximum: interval(1, 10)))
    #expect(
      open?.sizes.first?.intervals == .range(minimum: interval(1, 120), maximum: interval(1, 10), step: nil))
    #expect(any.bounded(by: .init(minimum: interval(3, 1))) == nil)
  }

  @Test func durationsAreNamedAsPeopleWriteThem() {
    let formats = [
      format(.discrete([interval(1, 60), interval(1001, 30_000)])),
      format(.range(minimum: interval(1, 120), maximum: interval(2, 1), step: nil)),
    ]
    #expect(formats.durationsText(VideoRequest()) == "1/60, 0.0333667, 1/5, 1/120 to 2 s")
    #expect(formats.durationsText(VideoRequest(size: FrameSize(width: 1280, height: 720))) == "1/5 s")
  }
}
