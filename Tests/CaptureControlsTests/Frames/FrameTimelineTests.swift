import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct FrameTimelineTests {
  private static let interval: UInt64 = 10_000_000
  private static let origin: UInt64 = 1_000_000_000_000

  /// A stream of 100 frames a second whose frame n ends, and is stamped, at origin + n intervals.
  private struct Stream {
    var timeline = FrameTimeline()
    init() {
      var known = FrameSettings()
      known.gain = Observed(0, .reported)
      _ = timeline.learn(.init(settings: known))
      timeline.streamStarted(interval: FrameInterval(numerator: 1, denominator: 100))
    }

    static func end(_ sequence: UInt64) -> UInt64 { origin + sequence * interval }

    mutating func frame(_ sequence: UInt64) -> [FrameTimeline.Applied] {
      timeline.frame(sequence, timestamp: Self.end(sequence), source: .endOfFrame)
    }

    mutating func set(_ change: UInt64, _ gain: Double, at time: UInt64, took: UInt64 = 1000, delay: Int = 0)
    {
      timeline.begin(change, [.gain])
      timeline.set(
        change,
        [
          .init(
            setting: .gain, value: Observed(gain, .reported), moment: .init(began: time, ended: time + took),
            delay: ControlDelay(frames: delay, provenance: .calibrated))
        ])
      var now = FrameSettings()
      now.gain = Observed(gain, .reported)
      _ = timeline.end(change, now)
    }

    var gain: Double? { timeline.current?.gain?.value }
  }

  @Test(arguments: 0...5) func aChangeIsInTheFrameThatBeginsAfterItAndItsDelay(_ delay: Int) {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    // While frame 5 is exposed: 6 begins at the end of 5.
    stream.set(1, 9, at: Stream.end(4) + 3_000_000, delay: delay)
    let first = 6 + UInt64(delay)
    for sequence in 5...12 as ClosedRange<UInt64> {
      let applied = stream.frame(sequence)
      #expect(stream.gain == (sequence >= first ? 9 : 0), "frame \(sequence)")
      #expect(stream.timeline.current?.change == (sequence >= first ? 1 : 0))
      #expect(applied.map(\.change) == (sequence == first ? [1] : []))
      for change in applied {
        #expect(change.frame == .init(sequence: first, timestamp: Stream.end(first)))
        #expect(change.provenance == .calibrated)
      }
    }
  }

  /// It may be the first that has it; whether that is all of it only the end of the change tells.
  @Test func aFrameThatComesBeforeTheDriverIsAskedTellsTheChangeBefore() {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    let moment = ControlMoment(began: Stream.end(4) + 3_000_000, ended: Stream.end(4) + 3_001_000)
    let delay = ControlDelay(frames: 0, provenance: .calibrated)
    stream.timeline.begin(1, [.gain])
    stream.timeline.set(
      1, [.init(setting: .gain, value: Observed(9, .reported), moment: moment, delay: delay)])
    #expect(stream.frame(5).isEmpty && stream.gain == 0)
    #expect(stream.frame(6).isEmpty)
    #expect(stream.gain == 9 && stream.timeline.current?.change == 0)
    var read = FrameSettings()
    read.gain = Observed(8, .reported)
    let applied = stream.timeline.end(1, read)
    #expect(applied.first?.change == 1 && applied.first?.frame?.sequence == 6)
    #expect(stream.frame(7).isEmpty)
    #expect(stream.gain == 8 && stream.timeline.current?.change == 1)
  }

  @Test(arguments: 0...3 as ClosedRange<UInt64>)
  func noFrameIsNamedTooEarlyWhileTheIntervalIsNotKnown(_ seen: UInt64) {
    var stream = Stream()
    stream.timeline.streamStarted(interval: nil)
    for sequence in 0..<seen { _ = stream.frame(sequence) }
    // While frame `seen` is exposed: the next one begins at its end.
    stream.set(1, 9, at: Stream.end(seen) - 7_000_000)
    var applied: [FrameTimeline.Applied] = []
    for sequence in seen...seen + 3 { applied += stream.frame(sequence) }
    #expect(applied.first?.frame == .init(sequence: seen + 1, timestamp: Stream.end(seen + 1)))
  }

  @Test func aLostFirstFrameIsNamedAllTheSame() {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    stream.set(1, 9, at: Stream.end(4) + 3_000_000, delay: 1)
    let applied = stream.frame(11)
    #expect(applied.first?.frame == .init(sequence: 7, timestamp: Stream.end(7)))
    #expect(stream.gain == 9)
  }

  @Test func aCallAcrossABoundaryIsInTheLaterFrameAndAssumed() {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    stream.set(1, 9, at: Stream.end(5) - 500_000, took: 1_000_000)
    var applied: [FrameTimeline.Applied] = []
    for sequence in 5...9 as ClosedRange<UInt64> { applied += stream.frame(sequence) }
    #expect(applied.first?.frame?.sequence == 7)
    #expect(applied.first?.provenance == .assumed)
  }

  @Test func startsOfExposureAreTakenAsTheyAre() {
    var timeline = FrameTimeline()
    timeline.streamStarted(interval: FrameInterval(numerator: 1, denominator: 100))
    _ = timeline.frame(0, timestamp: Self.origin, source: .startOfExposure)
    timeline.begin(1, [])
    let moment = ControlMoment(began: Self.origin + 1000, ended: Self.origin + 2000)
    timeline.set(
      1, [.init(setting: nil, value: nil, moment: moment, delay: .init(frames: 0, provenance: .assumed))])
    #expect(timeline.end(1, FrameSettings()) == [])
    let applied = timeline.frame(1, timestamp: Self.origin + Self.interval, source: .startOfExposure)
    #expect(applied.first?.frame?.sequence == 1)
  }

  @Test func whatIsBeingSetIsUnknown() {
    var stream = Stream()
    _ = stream.frame(0)
    stream.timeline.begin(1, [.gain])
    _ = stream.frame(1)
    #expect(stream.timeline.current?.gain == Observed(0, .unknown))
    stream.timeline.abandon(1)
    _ = stream.frame(2)
    #expect(stream.timeline.current?.gain == Observed(0, .reported))
  }

  @Test func gainsThatAreBeingSetAreUnknown() {
    var stream = Stream()
    var known = FrameSettings()
    known.whiteBalanceGains = Observed(WhiteBalanceGains(red: 2, green: 1, blue: 1.5), .assumed)
    _ = stream.timeline.learn(.init(settings: known))
    stream.timeline.begin(1, [.whiteBalanceGains])
    _ = stream.frame(0)
    #expect(stream.timeline.current?.whiteBalanceGains?.provenance == .unknown)
    stream.timeline.abandon(1)
    _ = stream.frame(1)
    #expect(stream.timeline.current?.whiteBalanceGains == known.whiteBalanceGains)
  }

  @Test func withoutAStreamTheNextOneHasItFromItsFirstFrame() {
    var stream = Stream()
    _ = stream.frame(0)
    stream.set(1, 4, at: Stream.end(0) + 1000, delay: 3)
    #expect(stream.timeline.streamEnded() == [.init(change: 1, frame: nil, provenance: .reported)])
    #expect(stream.gain == 4)
    stream.timeline.begin(2, [.gain])
    var now = FrameSettings()
    now.gain = Observed(5, .reported)
    #expect(stream.timeline.end(2, now).map(\.frame) == [nil])
  }

  @Test func aPartThatIsPromisedIsWaitedForAcrossStreams() {
    var stream = Stream()
    _ = stream.frame(0)
    stream.timeline.begin(1, [])
    stream.timeline.promise(1, .zoomFactor)
    #expect(stream.timeline.end(1, FrameSettings()) == [])
    #expect(stream.frame(1) == [] && stream.timeline.streamEnded() == [])
    stream.timeline.streamStarted(interval: FrameInterval(numerator: 1, denominator: 100))
    for sequence in 2...4 as ClosedRange<UInt64> { #expect(stream.frame(sequence) == []) }
    let moment = ControlMoment(began: Stream.end(4) + 1000, ended: Stream.end(4) + 2000)
    let delay = ControlDelay(frames: 1, provenance: .assumed)
    #expect(stream.timeline.fulfil(1, .zoomFactor, at: moment, delay: delay) == [])
    #expect(stream.frame(5) == [] && stream.frame(6) == [])
    let applied = stream.frame(7)
    #expect(applied.first?.frame?.sequence == 7 && applied.first?.provenance == .assumed)
  }

  @Test func whatAChangeHasSetHoldsFromItsFrameAlsoWhereAPromiseIsBroken() {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    stream.timeline.begin(1, [.gain])
    stream.timeline.promise(1, .zoomFactor)
    let moment = ControlMoment(began: Stream.end(4) + 1000, ended: Stream.end(4) + 2000)
    let delay = ControlDelay(frames: 0, provenance: .calibrated)
    stream.timeline.set(
      1, [.init(setting: .gain, value: Observed(9, .reported), moment: moment, delay: delay)])
    var now = FrameSettings()
    now.gain = Observed(9, .reported)
    _ = stream.timeline.end(1, now)
    #expect(stream.timeline.breakPromise(of: 1) == [])
    _ = stream.frame(5)
    #expect(stream.gain == 0)
    #expect(stream.frame(6).map(\.change) == [0])
    #expect(stream.gain == 9 && stream.timeline.current?.change == 0)
    // Without a stream it holds at once.
    _ = stream.timeline.streamEnded()
    stream.timeline.begin(2, [.gain])
    stream.timeline.promise(2, .zoomFactor)
    now.gain = Observed(4, .reported)
    stream.timeline.set(
      2, [.init(setting: .gain, value: Observed(4, .reported), moment: moment, delay: delay)])
    #expect(stream.timeline.end(2, now) == [])
    #expect(stream.timeline.breakPromise(of: 2).map(\.change) == [0])
    #expect(stream.gain == 4)
  }

  @Test func aPartThatAStreamHasFromItsStartIsInItsFirstFrame() {
    var stream = Stream()
    _ = stream.frame(9)
    stream.set(1, 9, at: Stream.end(9) + 1000, delay: 5)
    stream.timeline.begin(2, [])
    stream.timeline.promise(2, .frameDuration)
    #expect(stream.timeline.end(2, FrameSettings()) == [])
    #expect(stream.timeline.streamEnded().map(\.change) == [1])
    stream.timeline.streamStarted(interval: FrameInterval(numerator: 1, denominator: 50))
    #expect(stream.timeline.fulfilWithStream(2, .frameDuration) == [])
    // The first two were lost.
    let applied = stream.frame(2)
    #expect(
      applied == [
        .init(change: 2, frame: .init(sequence: 2, timestamp: Stream.end(2)), provenance: .reported)
      ])
    #expect(stream.gain == 9)
  }

  @Test func aStreamThatDoesNotComeIsNotWaitedFor() {
    var stream = Stream()
    stream.timeline.begin(1, [])
    stream.timeline.promise(1, .frameDuration)
    _ = stream.timeline.end(1, FrameSettings())
    #expect(stream.timeline.streamEnded() == [])
    stream.timeline.streamStarted(interval: nil)
    _ = stream.timeline.fulfilWithStream(1, .frameDuration)
    #expect(stream.timeline.streamEnded().map(\.frame) == [nil])
    stream.timeline.begin(2, [])
    stream.timeline.promise(2, .zoomFactor)
    _ = stream.timeline.end(2, FrameSettings())
    #expect(stream.timeline.forget().map(\.change) == [2])
  }

  @Test func aChangeOfSeveralControlsIsCompleteWithTheLast() {
    var stream = Stream()
    for sequence in 0...4 as ClosedRange<UInt64> { _ = stream.frame(sequence) }
    stream.timeline.begin(1, [.gain, .lensPosition])
    let moment = ControlMoment(began: Stream.end(4) + 2_000_000, ended: Stream.end(4) + 2_000_500)
    stream.timeline.set(
      1,
      [
        .init(
          setting: .gain, value: Observed(3, .reported), moment: moment,
          delay: .init(frames: 0, provenance: .calibrated)),
        .init(
          setting: .lensPosition, value: Observed(0.5, .reported), moment: moment,
          delay: .init(frames: 2, provenance: .assumed)),
      ])
    var now = FrameSettings()
    (now.gain, now.lensPosition) = (Observed(3, .reported), Observed(0.5, .reported))
    _ = stream.timeline.end(1, now)
    var applied: [FrameTimeline.Applied] = []
    for sequence in 5...7 as ClosedRange<UInt64> { applied += stream.frame(sequence) }
    #expect(stream.gain == 3 && stream.timeline.current?.lensPosition == nil && applied.isEmpty)
    applied += stream.frame(8)
    #expect(applied.first?.frame?.sequence == 8 && applied.first?.provenance == .assumed)
    #expect(stream.timeline.current?.lensPosition?.value == 0.5)
  }
}

@Suite struct FramePacingTests {
  private let pacing = FramePacing(start: 1_000_000_000, interval: 33_000_000)

  @Test func callsKeepAwayFromWhereFramesBegin() {
    for offset in stride(from: UInt64(0), to: 99_000_000, by: 50_000) {
      let now = pacing.start + offset
      let wait = pacing.wait(at: now)
      #expect(wait <= FramePacing.longestWait)
      let phase = (offset + wait) % pacing.interval
      #expect(phase >= 400_000 && pacing.interval - phase >= 999_999)
    }
  }

  @Test func framesThatFollowTooCloselyAreNotWaitedFor() {
    #expect(FramePacing(start: 0, interval: 4_000_000).wait(at: 3_900_000) == 0)
    #expect(pacing.wait(at: 5) == 0)
  }
}
