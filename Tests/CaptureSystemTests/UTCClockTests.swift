import CCaptureShims
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import CaptureSystem

@Suite struct UTCClockTests {
  @Test func nowIsNowAndAMomentBeforeIsBefore() {
    let clock = UTCClock()
    let earlier = UTCClock.Instants.read().utc
    let moment = MonotonicClock.now()
    let reading = clock.reading(at: moment)
    let later = UTCClock.Instants.read().utc
    // As exact as the two clocks are read at one moment.
    #expect(earlier - 1_000_000 <= reading.nanoseconds && reading.nanoseconds <= later + 1_000_000)
    let before = clock.reading(at: moment - 500_000_000)
    #expect(abs(reading.nanoseconds - before.nanoseconds - 500_000_000) < 100_000_000)
  }

  @Test func clocksThatWereNotReadAtOneMomentAreReadAgain() {
    let second: UInt64 = 1_000_000_000
    let readings = Mutex<[UTCClock.Instants]>([
      .init(before: second, utc: 70_000_000_000, after: 3 * second),
      .init(before: 4 * second, utc: 73_000_000_000, after: 4 * second + 200),
    ])
    let clock = UTCClock(adjust: { _ in -1 }, clocks: { readings.withLock { $0.removeFirst() } })
    #expect(clock.reading(at: 4 * second + 100).nanoseconds == 73_000_000_000)
    #expect(readings.withLock { $0.isEmpty })
  }

  @Test func anUnsynchronisedClockHasNoUncertainty() {
    let reading = UTCClock().reading(at: MonotonicClock.now())
    #expect(reading.isSynchronised || reading.uncertainty == 0)
  }

  @Test func aKernelThatDoesNotAnswerIsTakenForAClockThatIsNotSynchronised() {
    let reading = UTCClock { _ in -1 }.reading(at: MonotonicClock.now())
    #expect(!reading.isSynchronised && reading.uncertainty == 0)
    let known = UTCClock {
      $0.pointee.maxerror = 250
      return 0
    }.reading(at: MonotonicClock.now())
    #expect(known.isSynchronised && known.uncertainty == 250_000)
  }

  @Test func itIsReadByManyThreadsAndOfAnyMoment() {
    let clock = UTCClock()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for moment in [UInt64.max, 0, 1 << 63, MonotonicClock.now()] { _ = clock.reading(at: moment) }
    }
  }
}
