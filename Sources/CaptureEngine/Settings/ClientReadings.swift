import CaptureControls
import CaptureModel

/// The readings that clients may ask for as often as they like. Of each kind one is at the camera at a time, so that a change waits for no more than these.
final class ClientReadings {
  private let context: DeviceContext
  let settings = SharedReading<CameraSettings>()
  let controls = SharedReading<[(control: ControlDescription, value: ControlValue?)]>()
  let values = SharedReading<ControlKeyed<ControlValue>>()
  /// The controls of the next reading of values.
  private var wanted: Set<ControlID> = []

  init(_ context: DeviceContext) { self.context = context }

  /// Returns present values of controls, also of others that somebody asks for, without those whose reading fails.
  func values(of ids: [ControlID]) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    wanted.formUnion(ids)
    return try await values.value { () throws(CaptureError) in
      let due = wanted
      wanted = []
      do throws(CaptureError) {
        return try await read(due.sorted { $0.rawValue < $1.rawValue })
      } catch {
        // Others, who wait for some of them, make the next reading.
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
      // One control that cannot be read takes no value from those who asked for another.
      var values = ControlKeyed<ControlValue>()
      for id in ids {
        values[id] = (try? await camera.values(of: [id]))?.first
        // Otherwise those who share this would get it without the values that were not read any more.
        try CaptureError.checkCancellation()
        try context.camera.require(camera)
      }
      return values
    }
  }
}
