import CaptureSystem

/// A driver that holds calls.
extension FakeCamera {
  /// From now on it is as if the driver had not answered for so many seconds. The node's own checks find the same as those of a test, also where
  /// they are late.
  package func fallSilent(for seconds: UInt64 = 30) {
    let now = MonotonicClock.now()
    state.withLock { $0.unansweredSince = now - min(now, seconds * 1_000_000_000) }
  }

  package func answerAgain() { state.withLock { $0.unansweredSince = nil } }

  /// From now on these calls wait until ``releaseEverything()``: to list, read and set controls, to start a stream, and all calls for inputs.
  package func holdEverything() {
    state.withLock { state in
      (state.holdsControls, state.holdsReading, state.holdsSetting) = (true, true, true)
      (state.holdsStarting, state.holdsInputs) = (true, true)
    }
  }

  /// Whether one of the calls that ``holdEverything()`` holds waits.
  package var isHolding: Bool {
    state.withLock { state in
      ![state.heldControls, state.heldReading, state.heldSetting, state.heldStarting, state.heldInputs]
        .allSatisfy(\.isEmpty)
    }
  }

  package func releaseEverything() {
    releaseControls()
    releaseReading()
    releaseSetting()
    releaseStart()
    state.withLock { $0.holdsInputs = false }
    release(\.heldInputs)
  }
}
