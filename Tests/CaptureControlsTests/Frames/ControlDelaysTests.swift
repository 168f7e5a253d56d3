import CaptureModel
import Testing

@testable import CaptureControls

/// What is seen of a delay, beside what is assumed: a frame that is named too early may not have the change.
@Suite struct ControlDelaysTests {
  private var delays = ControlDelays(driver: "unknown")

  private func seen(_ frames: Int..., after other: [Int] = []) -> ControlDelay {
    var delays = delays
    for late in other + frames { delays.observe(late, of: .focusAbsolute) }
    return delays[.focusAbsolute]
  }

  @Test func aLongerDelayCountsAtOnce() {
    #expect(seen(7) == ControlDelay(frames: 7, provenance: .observed))
    #expect(seen(5) == ControlDelay(frames: 5, provenance: .observed))
  }

  @Test func aShorterOneThatWasSeenOnceChangesNothing() {
    #expect(seen(2) == ControlDelay(frames: ControlDelays.longestKnown, provenance: .assumed))
    #expect(seen(2, after: [7]) == ControlDelay(frames: 7, provenance: .observed))
    // Not in a row.
    #expect(seen(2, 5, 3) == ControlDelay(frames: 5, provenance: .observed))
  }

  @Test func ofTwoShorterOnesInARowTheLongerCounts() {
    #expect(seen(2, 2) == ControlDelay(frames: 2, provenance: .observed))
    #expect(seen(1, 3) == ControlDelay(frames: 3, provenance: .observed))
    #expect(seen(3, 1) == ControlDelay(frames: 3, provenance: .observed))
    #expect(seen(0, 0, after: [7]) == ControlDelay(frames: 0, provenance: .observed))
    // Then it begins anew.
    #expect(seen(2, 2, 0) == ControlDelay(frames: 2, provenance: .observed))
  }

  @Test func eachControlHasItsOwn() {
    var delays = delays
    delays.observe(2, of: .focusAbsolute)
    delays.observe(2, of: .gain)
    #expect(delays[.focusAbsolute].provenance == .assumed && delays[.gain].provenance == .assumed)
  }

  @Test func whatIsMeasuredGoesFirst() {
    var delays = delays
    delays.set(1, for: .focusAbsolute)
    for _ in 0..<2 { delays.observe(3, of: .focusAbsolute) }
    #expect(delays[.focusAbsolute] == ControlDelay(frames: 1, provenance: .calibrated))
    delays.set(nil, for: .focusAbsolute)
    #expect(delays[.focusAbsolute] == ControlDelay(frames: 3, provenance: .observed))
  }

  @Test func whatWasSeenIsThereWhenTheCameraReturns() {
    var delays = delays
    for _ in 0..<2 { delays.observe(3, of: .focusAbsolute) }
    var back = ControlDelays(driver: "unknown")
    back.recall(delays)
    #expect(back[.focusAbsolute] == ControlDelay(frames: 3, provenance: .observed))
  }
}
