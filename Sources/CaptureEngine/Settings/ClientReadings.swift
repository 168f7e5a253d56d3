import CaptureControls
import CaptureModel

/// The readings that clients may ask for as often as they like. Only one reading of each kind is under way at a time, so a change of settings waits
/// for no more than these few.
final class ClientReadings {
  private let context: DeviceContext
  let settings = SharedReading<CameraSettings>()
  let controls = SharedReading<[(control: ControlDescription, value: ControlValue?)]>()
  let values = SharedReading<ControlKeyed<ControlValue>>()
  /// The controls of the next reading of values.
  private var wanted: Set<ControlID> = []

  init(_ context: DeviceContext) { self.context = context }

  /// Returns the present values of controls. A control whose reading fails is left out. The result may have controls that other callers asked for.
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
    do throws(CaptureError) {
      return ControlKeyed(uniqueKeysWithValues: zip(ids, try await camera.values(of: ids)))
    } catch {
      guard ids.count > 1, context.camera.isPresent(camera), !Task.isCancelled else { throw error }
      // The controls are read one by one: a control that cannot be read must not cost callers the values of others.
      var values = ControlKeyed<ControlValue>()
      for id in ids {
        values[id] = (try? await camera.values(of: [id]))?.first
        // A reading that is cut short fails: otherwise the callers that share it would lack the values not read yet.
        try CaptureError.checkCancellation()
        try context.camera.require(camera)
      }
      return values
    }
  }
}
