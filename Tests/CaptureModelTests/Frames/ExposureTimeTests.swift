import Testing

@testable import CaptureModel

@Suite struct ExposureTimeTests {
  private let thirty = FrameInterval(numerator: 1, denominator: 30)!

  private func time(
    _ source: FrameTimestamp.Source, clock: FrameTimestamp.Clock = .monotonic,
    at nanoseconds: UInt64 = 1_000_000_000,
    interval: FrameInterval? = nil, duration: Observed<Double>? = nil
  ) -> ExposureTime? {
    ExposureTime(
      FrameTimestamp(nanoseconds: nanoseconds, clock: clock, source: source), interval: interval,
      duration: duration)
  }

  @Test func aStampOfTheStartIsReportedWithAKnownDuration() throws {
    let known = try #require(time(.startOfExposure, interval: thirty, duration: .init(0.01, .reported)))
    #expect(known.start == 1_000_000_000 && known.end == 1_010_000_000)
    #expect(known.uncertainty == 33_333_333 && known.provenance == .reported)
  }

  @Test func withoutADurationTheIntervalIsAssumed() throws {
    for duration in [nil, Observed(0.01, .unknown)] {
      let assumed = try #require(time(.startOfExposure, interval: thirty, duration: duration))
      #expect(assumed.end - assumed.start == 33_333_333 && assumed.provenance == .assumed)
    }
  }

  /// The bytes arrive within one interval after the exposure, so that the two bounds are the stamp and one interval before it.
  @Test func aStampOfTheEndBoundsTheEnd() throws {
    let found = try #require(time(.endOfFrame, interval: thirty, duration: .init(0.01, .reported)))
    #expect(
      found.end + found.uncertainty >= 1_000_000_000 - 1 && found.end + found.uncertainty <= 1_000_000_000)
    #expect(found.end - found.uncertainty <= 1_000_000_000 - 33_333_332)
    #expect(abs(Int(found.end - found.start) - 10_000_000) <= 1 && found.provenance == .assumed)
  }

  @Test func whatNobodyKnowsIsAbsent() {
    #expect(time(.startOfExposure, clock: .copy, interval: thirty) == nil)
    #expect(time(.startOfExposure, clock: .unknown, interval: thirty) == nil)
    #expect(time(.startOfExposure) == nil)
    #expect(time(.endOfFrame, at: 5, interval: thirty) == nil)
    for moment: UInt64 in [.max, .max - 1_000_000, 1 << 63] {
      #expect(time(.endOfFrame, at: moment, interval: thirty) == nil)
      #expect(time(.startOfExposure, at: moment, interval: thirty) == nil)
    }
    #expect(time(.startOfExposure, duration: .init(.nan, .reported)) == nil)
    #expect(time(.startOfExposure, duration: .init(.infinity, .reported)) == nil)
  }
}
