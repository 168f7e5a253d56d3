import CaptureControls
import CaptureModel

/// The readings that clients may ask for as often as they like. Only one reading of each kind is under way at a time, so a change of settings waits
/// for no more than these few.
final class ClientReadings {
  private let context: DeviceContext
  private let reader: ControlReader
  let settings = SharedReading<CameraSettings>()
  let controls = SharedReading<[(control: ControlDescription, value: ControlValue?)]>()
  let values = SharedReading<ControlKeyed<ControlValue>>()
  /// The controls of the next reading of values.
  private var wanted: Set<ControlID> = []

  init(_ context: DeviceContext, _ reader: ControlReader) { (self.context, self.reader) = (context, reader) }

  /// Returns the present values of controls, without those that cannot be read. The result may have controls that other callers asked for. Throws if
  /// none can be read.
  func values(of ids: [ControlID]) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    wanted.formUnion(ids)
    return try await values.value { () throws(CaptureError) in
      let due = wanted
      wanted = []
      do throws(CaptureError) {
        let camera = try context.camera.required()
        return try await reader.values(
          of: due.sorted { $0.rawValue < $1.rawValue }, from: camera, requiring: .one)
      } catch {
        // The next reading, by callers who still wait, has to include these controls.
        if Task.isCancelled { wanted.formUnion(due) }
        throw error
      }
    }
  }
}
