import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// The synthetic cameras. All are there from the start, and one that a fault has unplugged comes back.
public final class SyntheticProvider: CameraProvider {
  private struct State {
    var handler: (@Sendable (CameraProviderEvent) -> Void)?
    var cameras: [Int: any PluggedCamera] = [:]
  }

  private let specs: [SyntheticSpec]
  private let state = Mutex(State())
  /// Reports events in order.
  private let queue = DispatchQueue(label: "synthetic.discovery")

  public init(cameras: [SyntheticSpec]) { specs = cameras }

  package func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async {
    state.withLock { $0.handler = handler }
    await withCheckedContinuation { continuation in
      queue.async {
        for index in self.specs.indices { self.plug(index) }
        continuation.resume()
      }
    }
  }

  public func stop() async {
    let cameras = state.withLock { state in
      defer { state = State() }
      return Array(state.cameras.values)
    }
    for camera in cameras { await camera.stopStreaming() }
  }

  /// The camera at an index, if it is plugged in now; `nil` for one with physics.
  package func camera(_ index: Int) -> SyntheticCamera? {
    state.withLock { $0.cameras[index] as? SyntheticCamera }
  }

  /// The camera with physics at an index, if it is plugged in now; `nil` for one without physics.
  package func physicsCamera(_ index: Int) -> PhysicsCamera? {
    state.withLock { $0.cameras[index] as? PhysicsCamera }
  }

  /// Brings a camera back that a fault has unplugged, before its time.
  package func plugIn(_ index: Int) { queue.async { self.plug(index) } }

  private func plug(_ index: Int) {
    guard state.withLock({ $0.cameras[index] == nil }) else { return }
    let (spec, unplugged) = (specs[index], { @Sendable [weak self] in self?.unplug(index, for: $0) ?? () })
    let camera: any PluggedCamera =
      spec.physics == nil
      ? SyntheticCamera(spec, index: index, unplugged: unplugged)
      : PhysicsCamera(spec, index: index, unplugged: unplugged)
    let handler = state.withLock { state in
      if state.handler != nil { state.cameras[index] = camera }
      return state.handler
    }
    handler?(.appeared(camera))
  }

  private func unplug(_ index: Int, for duration: Duration) {
    queue.async {
      let (handler, camera) = self.state.withLock { ($0.handler, $0.cameras.removeValue(forKey: index)) }
      if let camera { handler?(.vanished(camera.description.id)) }
    }
    let nanoseconds = duration / .nanoseconds(1)
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in self?.plug(index) }
  }
}
