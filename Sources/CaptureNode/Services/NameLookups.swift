import CaptureModel
import Synchronization

/// The calls of one kind that look up names of a camera's controls or settings, running and waiting, for each camera. Each keeps its names meanwhile.
final class NameLookups: Sendable {
  private let counts = Mutex<[CameraID: Int]>([:])

  /// Runs `lookUp`. Throws `resourceExhausted` where as many calls do so for this camera as may.
  func count<Value>(of camera: CameraID, _ lookUp: () async throws -> Value) async throws -> Value {
    let bound = NodeLimit.lookupsPerCamera.usual
    let hasRoom = counts.withLock { counts in
      let count = counts[camera, default: 0]
      if count < bound { counts[camera] = count + 1 }
      return count < bound
    }
    guard hasRoom else {
      throw NodeLimit.lookupsPerCamera.exceeded(
        "\(bound) calls look up names of '\(camera.rawValue)' already; ask again")
    }
    defer { counts.withLock { $0[camera] = $0[camera]! == 1 ? nil : $0[camera]! - 1 } }
    return try await lookUp()
  }
}
