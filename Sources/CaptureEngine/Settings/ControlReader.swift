import CaptureControls
import CaptureModel
import CaptureSystem

/// Lists and reads a camera's controls. A control that fails takes no other with it: it is missing, and the node's log has it once.
final class ControlReader {
  private let context: DeviceContext
  /// The controls whose latest reading failed. They are read singly, so that the others can be read together.
  private var unreadable: Set<ControlID> = []
  /// What the log has of the present camera: which controls failed how.
  private var reported: Set<String> = []

  /// Which of the controls that are read have to be readable. A reading that cannot have them throws the first failure.
  enum Requirement { case nothing, one, all }

  init(_ context: DeviceContext) { self.context = context }

  func cameraAppeared() { (unreadable, reported) = ([], []) }

  /// Every control that the driver can describe now.
  func list(of camera: any Camera) async throws(CaptureError) -> [ControlDescription] {
    let list = try await camera.controls()
    for failure in camera.controlFailures { report(failure, as: failure) }
    return list
  }

  /// Returns the present values of controls, without those that cannot be read. Throws if the camera is gone or does not answer, and if the call is cancelled.
  /// Throws also if fewer can be read than are required.
  func values(
    of ids: [ControlID], from camera: any Camera, requiring required: Requirement = .nothing
  ) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    // Of most cameras every control can be read, so nothing is looked for then.
    let together = unreadable.isEmpty ? ids : ids.filter { !unreadable.contains($0) }
    // A single control is read once, however that ends.
    guard together.count > 1 else {
      return try await singleValues(of: ids, from: camera, requiring: required)
    }
    let read: [ControlValue]
    do throws(CaptureError) { read = try await camera.values(of: together) } catch {
      try requireCamera(camera, after: error)
      return try await singleValues(of: ids, from: camera, requiring: required)
    }
    let values = ControlKeyed(uniqueKeysWithValues: zip(together, read))
    guard together.count < ids.count else { return values }
    let others = ids.filter { values[$0] == nil }
    return try await singleValues(of: others, from: camera, beside: values, requiring: required)
  }

  /// Reads controls one by one. `beside`: what was just read of others.
  private func singleValues(
    of ids: [ControlID], from camera: any Camera, beside read: ControlKeyed<ControlValue> = [:],
    requiring required: Requirement
  ) async throws(CaptureError) -> ControlKeyed<ControlValue> {
    var values = read
    var firstError: CaptureError?
    for id in ids {
      do throws(CaptureError) {
        values[id] = try await camera.values(of: [id]).first
        unreadable.remove(id)
      } catch {
        try requireCamera(camera, after: error)
        unreadable.insert(id)
        // The message may name what changes, such as the programs that use the camera.
        report(
          "\(error.message); it has no value until it can be read",
          as: "\(id) \(error.cause?.rawValue ?? 0)")
        if required == .all { throw error }
        firstError = firstError ?? error
      }
    }
    if required == .one, values.isEmpty, let firstError { throw firstError }
    return values
  }

  /// Throws `error` if it is not that of one control, so that others would fail too: the call was cancelled, or the camera is gone or does not answer.
  private func requireCamera(_ camera: any Camera, after error: CaptureError) throws(CaptureError) {
    // After a timeout, a reading of each control would take the time of another one.
    let isOfCamera = error.cause == .timedOut || error.details?.reason == .cameraUnplugged
    if isOfCamera || Task.isCancelled || !context.camera.isPresent(camera) { throw error }
  }

  /// `failure`: which control failed how.
  private func report(_ text: String, as failure: String) {
    if reported.insert(failure).inserted { context.camera.notifyFailingControl(text, as: failure) }
  }
}
