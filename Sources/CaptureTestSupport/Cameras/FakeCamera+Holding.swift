/// A driver that holds all calls.
extension FakeCamera {
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
