import CaptureModel
import Synchronization

/// Inputs, and signals that come and go.
extension FakeCamera {
  package func inputs() async throws(CaptureError) -> [CameraInput] {
    await waitWhileInputsAreHeld()
    return state.withLock { $0.inputs }
  }

  package func selectedInput() async throws(CaptureError) -> CameraInput? {
    await waitWhileInputsAreHeld()
    let input = state.withLock { $0.inputs.selected }
    await withCheckedContinuation { hold($0, \.holdsReadInputs, \.heldReadInputs) }
    return input
  }

  package func releaseReadInputs() {
    state.withLock { $0.holdsReadInputs = false }
    release(\.heldReadInputs)
  }

  package func selectInput(_ index: Int) async throws(CaptureError) {
    await waitWhileInputsAreHeld()
    try change("select \(index)") { state in
      for place in state.inputs.indices {
        state.inputs[place].isSelected = state.inputs[place].index == index
      }
      return true
    }
  }

  package func adoptSignal() async throws(CaptureError) -> Bool {
    await waitWhileInputsAreHeld()
    let refusal = state.withLock { state -> CaptureError? in
      if let found = state.inputs.selected?.detected, let error = state.adoptionErrors[found] {
        state.inputCalls.append("refused")
        return error
      }
      guard state.busyAdoptions > 0 else { return nil }
      state.busyAdoptions -= 1
      state.inputCalls.append("busy")
      return CaptureError(.failedPrecondition, "it is busy", cause: .busy)
    }
    if let refusal { throw refusal }
    return try change("adopt") { state in
      guard let place = state.inputs.firstIndex(where: \.isSelected),
        let found = state.inputs[place].detected,
        found != state.inputs[place].signal
      else { return false }
      state.inputs[place].signal = found
      return true
    }
  }

  private func waitWhileInputsAreHeld() async {
    await withCheckedContinuation { hold($0, \.holdsInputs, \.heldInputs) }
  }

  package func setEDID(_ edid: [UInt8]) async throws(CaptureError) { state.withLock { $0.edid = edid } }

  package func observeInput(_ observer: (@Sendable (InputChange) -> Void)?) async {
    if let signal = state.withLock({ $0.signalBeforeObservation.take() }) {
      changeInput(isOfSource: nil) { $0.detected = signal }
    }
    inputObserver.withLock { $0 = observer }
  }

  /// Changes the input in use, as another program or the source would. `isOfSource`: whether the driver reports the change as one of the source;
  /// `nil`: the change is not reported.
  package func changeInput(isOfSource: Bool?, _ change: (inout CameraInput) -> Void) {
    let input = state.withLock { state -> CameraInput? in
      guard let place = state.inputs.firstIndex(where: \.isSelected) else { return nil }
      change(&state.inputs[place])
      state.takeFormats()
      return state.inputs[place]
    }
    if let isOfSource { inputObserver.withLock { $0 }?(InputChange(input, isOfSource: isOfSource)) }
  }

  @discardableResult
  private func change(_ what: String, _ body: (inout State) -> Bool) throws(CaptureError) -> Bool {
    let changed = state.withLock { state -> Bool? in
      if state.stream != nil { return nil }
      let isChanged = body(&state)
      state.inputCalls.append(what)
      state.takeFormats()
      return isChanged
    }
    guard let changed else { throw CaptureError(.failedPrecondition, "it streams") }
    return changed
  }
}

extension FakeCamera.State {
  fileprivate mutating func takeFormats() {
    if let signal = inputs.selected?.signal, let formats = formatsOfSignals[signal] { self.formats = formats }
  }
}
