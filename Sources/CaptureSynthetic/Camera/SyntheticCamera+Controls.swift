import CaptureModel
import CaptureSystem

extension SyntheticCamera {
  public func controls() async throws(CaptureError) -> [ControlDescription] {
    try await transferControls()
    return state.withLock { $0.controls.descriptions }
  }

  public func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    try await transferControls()
    let controls = state.withLock { $0.controls }
    var values: [ControlValue] = []
    for id in ids { values.append(.integer(try controls.value(id))) }
    return values
  }

  public func set(_ assignments: [ControlAssignment]) async throws(CaptureError) {
    _ = try await set(assignments, pacing: nil)
  }

  public func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    try await transferControls()
    let wait = pacing?.wait(at: MonotonicClock.now()) ?? 0
    if wait > 0 { try? await Task.sleep(nanoseconds: wait) }
    let began = MonotonicClock.now()
    let result = state.withLock { values -> Result<[SyntheticFault], CaptureError> in
      var controls = values.controls
      var faults: [SyntheticFault] = []
      do throws(CaptureError) {
        for assignment in assignments {
          if let fault = try controls.set(assignment.id, assignment.value) { faults.append(fault) }
        }
      } catch {
        return .failure(error)
      }
      values.controls = controls
      return .success(faults)
    }
    let faults = try result.get()
    let moment = ControlMoment(began: began, ended: MonotonicClock.now())
    for fault in faults { await inject(fault) }
    let (observer, changes) = state.withLock { values in
      (values.observer, assignments.flatMap { values.controls.dependents(of: $0.id) })
    }
    for change in changes { observer?(change) }
    return Array(repeating: moment, count: assignments.count)
  }

  public func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {
    state.withLock { $0.observer = observer }
  }

  /// What every control call does first: it takes its time, and needs the camera and somebody who still waits for it.
  private func transferControls() async throws(CaptureError) {
    let delay = state.withLock { $0.controlDelay }
    if delay > .zero { try? await Task.sleep(for: delay) }
    try CaptureError.checkCancellation()
    try checkPlugged()
  }
}
