import CaptureSystem
import Glibc
import Testing

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
}
