import CCaptureShims
import Dispatch
import Glibc
import Testing

@testable import CaptureSystem

@Suite struct UTCClockTests {
  @Test func nowIsNowAndAMomentBeforeIsBefore() {
    let clock = UTCClock()
    let moment = MonotonicClock.now()
    let reading = clock.reading(at: moment)
    var utc = timespec()
    clock_gettime(CLOCK_REALTIME, &utc)
    let now = Int64(utc.tv_sec) * 1_000_000_000 + Int64(utc.tv_nsec)
    #expect(reading.nanoseconds <= now && now - reading.nanoseconds < 1_000_000_000)
    let before = clock.reading(at: moment - 500_000_000)
    #expect(abs(reading.nanoseconds - before.nanoseconds - 500_000_000) < 100_000_000)
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
