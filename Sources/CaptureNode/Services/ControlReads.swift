import CaptureModel
import Synchronization

/// The calls that read controls by name, running and waiting, for each camera. Each keeps its names until the camera's driver has answered.
final class ControlReads: Sendable {
  private let counts = Mutex<[CameraID: Int]>([:])

  /// Runs `read`. Throws `resourceExhausted` where as many calls read this camera's controls as may.
  func count<Value>(of camera: CameraID, _ read: () async throws -> Value) async throws -> Value {
    let bound = NodeLimit.controlReadsPerCamera.usual
    let hasRoom = counts.withLock { counts in
      let count = counts[camera, default: 0]
      if count < bound { counts[camera] = count + 1 }
      return count < bound
    }
    guard hasRoom else {
      throw NodeLimit.controlReadsPerCamera.exceeded(
        "\(bound) calls read controls of '\(camera.rawValue)' already; ask again, or watch them")
    }
    defer { counts.withLock { $0[camera] = $0[camera]! == 1 ? nil : $0[camera]! - 1 } }
    return try await read()
  }
}
