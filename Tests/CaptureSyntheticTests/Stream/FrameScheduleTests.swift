import CaptureModel
import Testing

@testable import CaptureSynthetic

struct FrameScheduleTests {
  @Test func doesNotDriftInADay() {
    let schedule = FrameSchedule(start: 5, interval: FrameInterval(numerator: 1001, denominator: 30_000)!)
    #expect(schedule.due(0) == 5)
    #expect(schedule.due(1) == 5 + 33_366_666)
    #expect(schedule.due(3) == 5 + 100_100_000)
    #expect(schedule.due(30_000 * 86) == 5 + 1001 * 86 * 1_000_000_000)
  }

  @Test(arguments: [1, 29.97, 30, 59.94, 120] as [Double])
  func findsTheLastFrameDue(rate: Double) {
    let schedule = FrameSchedule(start: 1_000_000_007, interval: FrameInterval(rate: rate)!)
    for sequence in [0, 1, 2, 29, 1000, 10_000_000] as [UInt64] {
      #expect(schedule.last(at: schedule.due(sequence)) == sequence)
      #expect(schedule.last(at: schedule.due(sequence + 1) - 1) == sequence)
    }
    #expect(schedule.last(at: 0) == 0)
  }
}
