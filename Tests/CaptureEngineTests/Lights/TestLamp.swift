import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// A lamp that fails when told.
final class TestLamp: LightSource {
  struct State {
    var level = 0.0
    /// How it was set, and when: `CLOCK_MONOTONIC` nanoseconds.
    var levels: [(time: UInt64, level: Double)] = []
    var isBroken = false
    /// Whether the driver is being told something, and has not answered.
    var isHeld = false
  }
  let state = Mutex(State())
  /// What its driver waits for each time, at most 30 s; `nil`: it answers at once.
  let permits: DispatchSemaphore?
  let name = "LED test"
  let steps: Int?
  func level() throws(CaptureError) -> Double { state.withLock { $0.level } }
  init(permits: DispatchSemaphore? = nil, steps: Int? = nil) { (self.permits, self.steps) = (permits, steps) }

  func set(_ level: Double) throws(CaptureError) {
    if let permits {
      state.withLock { $0.isHeld = true }
      _ = permits.wait(timeout: .now() + 30)
      state.withLock { $0.isHeld = false }
    }
    if state.withLock({ $0.isBroken }) { throw CaptureError(.permissionDenied, "it may not be set") }
    state.withLock { state in
      state.level = level
      state.levels.append((MonotonicClock.now(), level))
    }
  }
}
