import CaptureModel
import CaptureSystem
import Synchronization

/// A lamp that fails when told.
final class TestLamp: LightSource {
  struct State {
    var level = 0.0
    /// How it was set, and when: `CLOCK_MONOTONIC` nanoseconds.
    var levels: [(time: UInt64, level: Double)] = []
    var isBroken = false
  }
  let state = Mutex(State())
  let name = "LED test"
  let hasLevel = true
  func level() throws(CaptureError) -> Double { state.withLock { $0.level } }
  func set(_ level: Double) throws(CaptureError) {
    if state.withLock({ $0.isBroken }) { throw CaptureError(.permissionDenied, "it may not be set") }
    state.withLock { state in
      state.level = level
      state.levels.append((MonotonicClock.now(), level))
    }
  }
}
