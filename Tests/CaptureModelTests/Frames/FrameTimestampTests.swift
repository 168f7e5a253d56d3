import Testing

@testable import CaptureModel

@Suite struct FrameTimestampTests {
  private let arrival: UInt64 = 60_000_000_000

  private func stamp(
    _ nanoseconds: UInt64, clock: FrameTimestamp.Clock = .monotonic
  ) -> FrameTimestamp {
    FrameTimestamp(nanoseconds: nanoseconds, clock: clock, source: .startOfExposure)
  }

  @Test func aTimeFarFromTheFramesArrivalIsNotPlausible() {
    for time: UInt64 in [50_000_000_001, 60_000_000_000, 69_999_999_999] {
      #expect(stamp(time).isPlausible(arrival: arrival), "\(time)")
    }
    for time: UInt64 in [0, 50_000_000_000, 70_000_000_000, 1_800_000_000_000_000_000, .max] {
      #expect(!stamp(time).isPlausible(arrival: arrival), "\(time)")
    }
  }

  /// A frame that arrives was exposed before that, whatever moment its driver would have stamped.
  @Test func aTimeOfAnotherClockIsTheArrivalOfTheFramesEnd() {
    let end = FrameTimestamp(nanoseconds: arrival, clock: .monotonic, source: .endOfFrame)
    #expect(stamp(5, clock: .unknown).monotonic(arrival: arrival) == end)
    #expect(stamp(5, clock: .copy).monotonic(arrival: arrival) == end)
    #expect(stamp(5).monotonic(arrival: arrival) == stamp(5))
  }
}
