import CaptureClient
import Testing

@testable import capturectl

@Suite struct StreamStatisticsTests {
  /// Frames 1/30 s apart, each with what the table says.
  private func statistics(
    _ frames: [(
      sequence: UInt64, discarded: UInt64, thinned: UInt64, discontinuity: StreamDiscontinuity.Kind?
    )]
  ) -> StreamStatistics {
    var statistics = StreamStatistics(start: 1_000_000)
    for (index, frame) in frames.enumerated() {
      statistics.add(
        .init(
          bytes: 100, sequence: frame.sequence, discarded: frame.discarded, thinned: frame.thinned,
          discontinuity: frame.discontinuity, arrival: 51_000_000 + UInt64(index) * 33_333_333,
          latency: .milliseconds(10)))
    }
    return statistics
  }

  @Test func gapsAreWhatNeitherDiscardsNorThinningExplain() {
    let result = statistics([
      (0, 0, 0, nil), (1, 0, 0, nil), (4, 2, 0, nil), (8, 1, 1, nil), (9, 0, 0, nil),
    ])
    #expect(result.discarded == 3)
    #expect(result.sequenceGaps == 1)
  }

  @Test func aRestartedNumberingIsNoGap() {
    let result = statistics([(100, 0, 0, nil), (0, 0, 0, .reconfigured), (1, 0, 0, nil)])
    #expect(result.sequenceGaps == 0)
    #expect(result.interruptions == 1)
  }

  @Test func whatIsLostInAStallIsAGap() {
    let result = statistics([(17, 0, 0, nil), (18, 0, 0, nil), (94, 0, 0, .resumed), (95, 0, 0, nil)])
    #expect(result.sequenceGaps == 75)
    #expect(result.interruptions == 1)
    #expect(statistics([(18, 0, 0, nil), (0, 0, 0, .resumed)]).sequenceGaps == 0)
  }

  @Test func rateIsOfTheIntervalsBetweenFrames() {
    let result = statistics((0..<31).map { ($0, 0, 0, nil) })
    #expect(abs(result.rate - 30) < 0.01)
    #expect(result.firstFrameMilliseconds == 50)
    #expect(statistics([(0, 0, 0, nil)]).rate == 0)
  }

  @Test func oneFrameHasNoRateAndIsNoPlural() {
    let one = statistics([(0, 0, 0, nil)])
    #expect(one.progress == "1 frame  10.0 ms late")
    #expect(
      one.summary().contains("Frames       1\n") && one.summary().contains("Bytes        100 B\n"),
      "\(one.summary())")
    #expect(
      statistics([(0, 0, 0, nil), (1, 0, 0, nil)]).progress.hasPrefix("2 frames  30.0 fps  0.0 Mbit/s"))
  }

  @Test func anOutageThatLastsToTheEndIsTold() {
    var values = statistics((0..<31).map { ($0, 0, 0, nil) })
    #expect(!values.summary().contains("Away"))
    values.isAwayAtEnd = true
    #expect(values.summary().contains("Away         still away at the end\n"), "\(values.summary())")
    #expect("\(values.json())".contains(#""away_at_end":true"#))
  }

  @Test func theDocumentHasTheAgreedMembers() {
    #expect(
      "\(statistics((0..<31).map { ($0, 0, 0, nil) }).json())"
        == #"{"frames":31,"bytes":3100,"fps":30.00,"discarded":0,"sequence_gaps":0,"interruptions":0,"resumptions":0,"missed":0,"away_at_end":false,"first_frame_ms":50.00,"#
        + #""latency_ms":{"p50":10.05,"p99":10.05}}"#)
    #expect(
      "\(StreamStatistics(start: 0).json())"
        == #"{"frames":0,"bytes":0,"fps":0.00,"discarded":0,"sequence_gaps":0,"interruptions":0,"resumptions":0,"missed":0,"away_at_end":false,"first_frame_ms":null,"#
        + #""latency_ms":{"p50":null,"p99":null}}"#)
  }

  @Test func quantilesAreWithinTwoPerCent() {
    var histogram = DurationHistogram()
    for microseconds in 1...10_000 { histogram.add(.microseconds(microseconds)) }
    #expect(abs(histogram.quantile(0.5)! - 5) < 0.1)
    #expect(abs(histogram.quantile(0.99)! - 9.9) < 0.2)
    #expect(abs(histogram.quantile(1)! - 10) < 0.2)
  }

  @Test func extremeLatenciesAreCounted() {
    var histogram = DurationHistogram()
    for duration in [Duration.seconds(-1), .zero, .seconds(1_000_000)] { histogram.add(duration) }
    #expect(histogram.count == 3)
    #expect(histogram.quantile(0.5) == 0)
    #expect(histogram.quantile(1)! > 30_000_000)
  }
}
