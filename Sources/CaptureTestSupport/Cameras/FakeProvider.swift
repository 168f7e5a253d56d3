import CaptureModel
import Synchronization

/// A backend whose cameras come and go when a test says so.
package final class FakeProvider: CameraProvider {
  private let cameras: [any Camera]
  private let handler = Mutex<(@Sendable (CameraProviderEvent) -> Void)?>(nil)

  /// `cameras` are there from the start.
  package init(_ cameras: [any Camera] = []) { self.cameras = cameras }

  package func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async {
    self.handler.withLock { $0 = handler }
    for camera in cameras { handler(.appeared(camera)) }
  }

  package func stop() async { handler.withLock { $0 = nil } }

  package func plug(_ camera: any Camera) { handler.withLock { $0 }?(.appeared(camera)) }

  package func unplug(_ camera: any Camera) { handler.withLock { $0 }?(.vanished(camera.description.id)) }
}
