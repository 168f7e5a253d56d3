/// A driver that holds all calls.
extension FakeCamera {
  /// Every call of a kind that can be held waits until ``releaseEverything()``.
  package func holdEverything() {
    state.withLock { state in
      (state.holdsControls, state.holdsReading, state.holdsSetting) = (true, true, true)
      (state.holdsStarting, state.holdsInputs) = (true, true)
    }
  }

  /// Whether a call waits.
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
