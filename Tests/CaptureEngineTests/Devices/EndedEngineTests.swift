import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// A node that ends while it starts.
@Suite struct EndedEngineTests {
  private final class Provider: CameraProvider {
    let starts = Atomic(0)

    nonisolated(nonsending) func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async {
      starts.wrappingAdd(1, ordering: .relaxed)
    }

    nonisolated(nonsending) func stop() async {}
  }

  @Test func itLooksForNoCameras() async {
    let engine = CaptureEngine(imaging: .fake())
    let provider = Provider()
    await engine.shutDown()
    await engine.attach(provider)
    #expect(provider.starts.load(ordering: .relaxed) == 0)
  }
}
