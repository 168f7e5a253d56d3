import CaptureSystem
import Synchronization

/// Lets a part run work later, or handle an event that comes on another thread: the work comes back through the device.
final class DeviceTasks: Sendable {
  private struct WeakDevice { weak var device: Device? }
  private let reference = Mutex(WeakDevice())

  func belong(to device: Device) { reference.withLock { $0.device = device } }

  var device: Device? { reference.withLock { $0.device } }

  /// Runs `body` on the device, in the order of these calls. Any thread may call it.
  func enqueue(_ body: @escaping @Sendable (isolated Device) -> Void) { device?.enqueue(body) }

  /// Runs `body` in a task of its own. The caller is on the device.
  @discardableResult
  func start<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Device) async -> Value
  ) -> Task<Value, Never>? {
    device?.assumeIsolated { device in Task { await body(device) } }
  }

  /// Runs `body` to its end, even if the caller's task is cancelled, so that whatever was begun is undone. The caller is on the device.
  @discardableResult
  func runToEnd<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Device) async -> Value
  ) async -> Value? {
    await start(body)?.value
  }

  /// Waits for `body`, but not longer than `limit`; after that `body` goes on by itself.
  func wait(
    atMost limit: Duration, for body: @escaping @Sendable (isolated Device) async -> Void
  ) async {
    guard let device else { return }
    _ = await Patience.wait(atMost: limit) { await body(device) }
  }
}

/// The objects that the parts of a device share.
struct DeviceContext {
  let camera: CurrentCamera
  let stream = CurrentStream()
  /// The consumers that join every stream by themselves.
  let onlookers = Onlookers()
  let saved: SavedMemory
  let gates: DeviceGates
  let tasks: DeviceTasks
  /// Tells which frame has which settings.
  let timeline: SettingsTimeline
}
