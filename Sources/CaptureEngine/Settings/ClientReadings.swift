import CaptureControls
import CaptureModel
import CaptureSystem

/// The readings that clients may ask for as often as they like. Only one reading of each kind is under way at a time, so a change of settings waits
/// for no more than these few.
final class ClientReadings {
  private let context: DeviceContext
  let settings = SharedReading<CameraSettings>()
  let controls = SharedReading<[(control: ControlDescription, value: ControlValue?)]>()
  let values = SharedReading<ControlKeyed<ControlValue>>()
  /// The controls of the next reading of values.
  private var wanted: Set<ControlID> = []
  /// The controls whose latest reading failed, each with the error and the time until which it is not read, in `CLOCK_MONOTONIC` nanoseconds. A driver
  /// may take seconds to fail, and whoever asks the camera anything waits meanwhile.
  private var failures: [ControlID: (error: CaptureError, restsUntil: UInt64)] = [:]
  private var now: @Sendable () -> UInt64 = { MonotonicClock.now() }

  init(_ context: DeviceContext) { self.context = context }

  func cameraAppeared() { failures = [:] }

  /// Tells that these controls were set and read: what failed before counts no more.
  func answered(_ controls: some Sequence<ControlID>) {
    for control in controls { failures[control] = nil }
  }

  /// For tests.
  func setClock(_ now: @escaping @Sendable () -> UInt64) { self.now = now }

  /// Returns the present values of controls. A control whose reading fails is left out, and so it is for a while after that. The result may have
  /// controls that other callers asked for.
  func values(of ids: [ControlID]) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    wanted.formUnion(ids)
    return try await values.value { () throws(CaptureError) in
      let due = wanted
      wanted = []
      do throws(CaptureError) {
        return try await read(due.sorted { $0.rawValue < $1.rawValue })
      } catch {
        // The next reading, by callers who still wait, has to include these controls.
        if Task.isCancelled { wanted.formUnion(due) }
        throw error
      }
    }
  }

  private func read(_ ids: [ControlID]) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    let camera = try context.camera.required()
    let sound = ids.filter { failures[$0] == nil }
    var values = ControlKeyed<ControlValue>()
    // A control that cannot be read must not cost callers the values of others, so these controls are read one by one: those whose latest reading
    // failed, and all others if they cannot be read together.
    var single = ids.filter { failures[$0] != nil }
    if sound.count > 1 {
      do throws(CaptureError) {
        values = ControlKeyed(uniqueKeysWithValues: zip(sound, try await camera.values(of: sound)))
      } catch {
        guard context.camera.isPresent(camera), !Task.isCancelled else { throw error }
        single = sound + single
      }
    } else {
      single = sound + single
    }
    for id in single {
      do throws(CaptureError) {
        values[id] = try await value(of: id, from: camera)
      } catch {
        if ids.count == 1 { throw error }
      }
      // A reading that is cut short fails: otherwise the callers that share it would lack the values not read yet.
      try CaptureError.checkCancellation()
      try context.camera.require(camera)
    }
    return values
  }

  /// Reads one control. Throws the error of its latest reading if that was a moment ago.
  private func value(of id: ControlID, from camera: any Camera) async throws(CaptureError) -> ControlValue? {
    let began = now()
    if let failure = failures[id], began < failure.restsUntil { throw failure.error }
    do throws(CaptureError) {
      let value = try await camera.values(of: [id]).first
      failures[id] = nil
      return value
    } catch {
      if context.camera.isPresent(camera), !Task.isCancelled {
        failures[id] = (error, ObservedControls.restsUntil(failedFrom: began, to: now()))
      }
      throw error
    }
  }
}
