import CaptureModel
import Testing

@testable import CaptureControls

/// What no change of somebody's set: read from the camera, or told by it.
@Suite struct ReadingTests {
  private static let interval: UInt64 = 10_000_000
  private static let origin: UInt64 = 1_000_000_000_000

  /// A stream of 100 frames a second whose frame n ends, and is stamped, at origin + n intervals.
  private struct Stream {
    var timeline = FrameTimeline()
    init(isMoving: Bool = false) {
      _ = timeline.learn(Self.reading(0, gain: 0, isMoving: isMoving))
      timeline.streamStarted(interval: FrameInterval(numerator: 1, denominator: 100))
    }

    static func end(_ sequence: UInt64) -> UInt64 { origin + sequence * interval }

    static func reading(
      _ number: UInt64, gain: Double, isMoving: Bool = false, events: [FrameTimeline.Reading.Event] = [],
      asked: UInt64? = nil
    ) -> FrameTimeline.Reading {
      var settings = FrameSettings()
      settings.gain = Observed(gain, .reported)
      if isMoving { settings.markMoving(.gain) }
      return .init(number: number, settings: settings, events: events, latestTime: asked.map { end($0) })
    }

    mutating func frame(_ sequence: UInt64) -> [FrameTimeline.Applied] {
      timeline.frame(sequence, timestamp: Self.end(sequence), source: .endOfFrame)
    }

    mutating func frames(_ sequences: ClosedRange<UInt64>) -> [FrameTimeline.Applied] {
      sequences.flatMap { frame($0) }
    }

    mutating func read(_ number: UInt64, gain: Double, isMoving: Bool = false) -> [FrameTimeline.Applied] {
      timeline.learn(
        Self.reading(number, gain: gain, isMoving: isMoving, asked: timeline.latest?.sequence))
    }

    var gain: Observed<Double>? { timeline.current?.gain }
  }

  private static func event(at time: UInt64, delay: Int, _ settings: [Setting] = [.gain])
    -> FrameTimeline.Reading.Event
  {
    .init(settings: settings, time: time, delay: ControlDelay(frames: delay, provenance: .calibrated))
  }

  @Test func whatIsReadHoldsFromTheNextFrame() {
    var stream = Stream()
    _ = stream.frames(0...4)
    #expect(stream.read(7, gain: 9) == [])
    #expect(stream.gain == Observed(0, .reported))
    let applied = stream.frame(5)
    #expect(
      applied == [
        .init(
          change: 0, reading: 7, frame: .init(sequence: 5, timestamp: Stream.end(5)), provenance: .assumed)
      ])
    #expect(stream.gain == Observed(9, .reported) && stream.timeline.current?.change == 0)
    #expect(stream.frame(6) == [])
  }

  @Test(arguments: 0...3) func whatTheCameraToldHoldsAfterItsControlsDelay(_ delay: Int) {
    var stream = Stream()
    _ = stream.frames(0...4)
    // While frame 5 is exposed, and read three frames later: 6 begins at the end of 5.
    let event = Self.event(at: Stream.end(4) + 3_000_000, delay: delay)
    _ = stream.frames(5...7)
    var applied = stream.timeline.learn(Stream.reading(1, gain: 9, events: [event], asked: 7))
    let first = 6 + UInt64(delay)
    #expect(applied.isEmpty == (first > 7))
    for sequence in 8...10 as ClosedRange<UInt64> {
      applied += stream.frame(sequence)
      #expect(stream.gain?.value == (sequence >= first ? 9 : 0), "frame \(sequence)")
    }
    #expect(applied.map(\.reading) == [1])
    #expect(applied.first?.frame == .init(sequence: first, timestamp: Stream.end(first)))
    #expect(applied.first?.provenance == .assumed)
  }

  @Test func whatAModeTakesAlongHasItsFrame() {
    var stream = Stream()
    _ = stream.frames(0...4)
    let event = Self.event(at: Stream.end(4) + 3_000_000, delay: 2, [])
    _ = stream.timeline.learn(Stream.reading(1, gain: 9, events: [event], asked: 4))
    #expect(stream.frames(5...7) == [] && stream.gain?.value == 0)
    #expect(stream.frame(8).map(\.frame?.sequence) == [8] && stream.gain?.value == 9)
  }

  /// A mode, as frames do not tell it.
  @Test func newsThatNoFrameTellsHasAFrameToo() {
    var stream = Stream()
    _ = stream.frames(0...4)
    #expect(stream.read(3, gain: 0) == [])
    #expect(stream.frame(5).map(\.reading) == [3])
    #expect(stream.read(0, gain: 0) == [] && stream.frame(6) == [])
  }

  @Test func withoutFramesItHoldsAtOnce() {
    var stream = Stream()
    #expect(stream.read(1, gain: 9).map(\.reading) == [1])
    #expect(stream.gain?.value == 9)
    _ = stream.frames(0...4)
    #expect(stream.read(2, gain: 4) == [])
    #expect(
      stream.timeline.streamEnded() == [.init(change: 0, reading: 2, frame: nil, provenance: .reported)])
    #expect(stream.gain?.value == 4)
  }

  @Test func whatIsOnItsWayKeepsItsFrame() {
    var stream = Stream()
    _ = stream.frames(0...4)
    stream.timeline.begin(1, [.gain])
    // What is being set just then is anybody's.
    #expect(stream.read(0, gain: 5) == [])
    let moment = ControlMoment(began: Stream.end(4) + 1000, ended: Stream.end(4) + 2000)
    let delay = ControlDelay(frames: 2, provenance: .calibrated)
    stream.timeline.set(
      1, [.init(setting: .gain, value: Observed(8, .reported), moment: moment, delay: delay)])
    #expect(stream.read(0, gain: 8) == [])
    _ = stream.timeline.end(1, Stream.reading(0, gain: 8).settings)
    // The driver made another value of it.
    #expect(stream.read(0, gain: 7.5) == [])
    _ = stream.frames(5...7)
    #expect(stream.gain?.value == 0)
    #expect(stream.frame(8).map(\.change) == [1] && stream.gain?.value == 7.5)
  }

  @Test func whatMovesIsAssumedAndNobodyKnowsItOnceItWasReadLongAgo() {
    var stream = Stream(isMoving: true)
    _ = stream.frame(0)
    #expect(stream.gain == Observed(0, .unknown))
    _ = stream.read(0, gain: 3, isMoving: true)
    _ = stream.frame(1)
    #expect(stream.gain == Observed(3, .assumed))
    _ = stream.frame(50)
    #expect(stream.gain == Observed(3, .assumed))
    _ = stream.frame(51)
    #expect(stream.gain == Observed(3, .unknown))
    // As it was: that is no news.
    #expect(stream.read(0, gain: 3, isMoving: true) == [])
    _ = stream.frame(52)
    #expect(stream.gain == Observed(3, .assumed))
    // A transfer that took long tells what was.
    _ = stream.timeline.learn(Stream.reading(0, gain: 4, isMoving: true, asked: 1))
    _ = stream.frame(53)
    #expect(stream.gain == Observed(4, .unknown))
    // The mode is off.
    _ = stream.read(0, gain: 4)
    _ = stream.frame(200)
    #expect(stream.gain == Observed(4, .reported))
  }

  @Test func whatMovesIsToBeReadFiveTimesASecond() {
    var (moving, resting) = (Stream(isMoving: true), Stream())
    var due: [UInt64] = []
    for sequence in 0...50 as ClosedRange<UInt64> {
      _ = moving.frame(sequence)
      if moving.timeline.takeReadingDue() { due.append(sequence) }
      _ = resting.frame(sequence)
      #expect(resting.timeline.takeReadingDue() == false)
    }
    #expect(due == [0, 20, 40])
    _ = moving.timeline.streamEnded()
    #expect(moving.timeline.takeReadingDue() == false)
  }

  @Test func nothingGrowsWhileNoFramesCome() {
    var stream = Stream()
    _ = stream.frame(0)
    var told: [UInt64] = []
    for number in 1...100 as ClosedRange<UInt64> {
      let applied = stream.read(number, gain: Double(number))
      told += applied.map(\.reading)
      #expect(stream.timeline.pending.count <= 16)
      #expect(applied.allSatisfy { $0.frame == nil })
    }
    told += stream.frame(1).map(\.reading)
    #expect(told == Array(1...100))
    #expect(stream.gain?.value == 100)
  }
}
