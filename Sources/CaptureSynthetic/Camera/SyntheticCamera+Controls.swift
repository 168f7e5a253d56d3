import CaptureModel
import CaptureSystem
import Synchronization

extension SyntheticCamera {
  public func controls() async throws(CaptureError) -> [ControlDescription] {
    try await device.transferControls()
    return control.now.descriptions
  }

  public func values(of ids: [ControlID]) async throws(CaptureError) -> [ControlValue] {
    try await device.transferControls()
    let controls = control.now
    var values: [ControlValue] = []
    for id in ids { values.append(.integer(try controls.value(id))) }
    return values
  }

  public func set(_ assignments: [ControlAssignment], pacing: FramePacing?)
    async throws(CaptureError) -> [ControlMoment]
  {
    try await device.transferControls(pacing)
    let began = MonotonicClock.now()
    let faults = try control.set(assignments)
    let moment = ControlMoment(began: began, ended: MonotonicClock.now())
    for fault in faults { await device.inject(fault) }
    let observer = device.state.withLock { $0.observer }
    let controls = control.now
    for change in assignments.flatMap({ controls.dependents(of: $0.id) }) { observer?(change) }
    return Array(repeating: moment, count: assignments.count)
  }

  /// The controls, which calls set and the stream reads.
  final class ControlState: Sendable {
    private struct Values {
      var controls = SyntheticControls()
      var tones = ToneHistory()
    }

    private let values = Mutex(Values())

    init() {
      values.withLock { $0.tones.note($0.controls.tone, at: 0) }
    }

    var now: SyntheticControls { values.withLock { $0.controls } }

    /// The tone at `time`, in `CLOCK_MONOTONIC` nanoseconds. Times have to be asked for in their order.
    func tone(at time: UInt64) -> Tone { values.withLock { $0.tones.tone(at: time) } }

    /// Sets all of the controls or none. Returns the faults that they ask for.
    func set(_ assignments: [ControlAssignment]) throws(CaptureError) -> [SyntheticFault] {
      let result = values.withLock { values -> Result<[SyntheticFault], CaptureError> in
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
        values.tones.note(controls.tone, at: MonotonicClock.now())
        return .success(faults)
      }
      return try result.get()
    }
  }
}
