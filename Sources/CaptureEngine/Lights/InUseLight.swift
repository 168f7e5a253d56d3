import CaptureModel
import Synchronization

/// A light that is on while a camera's stream runs, whoever takes its frames: clients, photos, timelapses, or the node itself.
final class InUseLight: Sendable {
  private let light: QueuedLight
  private let report: @Sendable (String) -> Void
  /// Whether the latest attempt failed: a light that fails each time is reported once.
  private let isBroken = Mutex(false)

  /// `report`: gets the reason why the light could not be switched, on any thread.
  init(_ light: any LightSource, isInUse: Bool, report: @escaping @Sendable (String) -> Void) {
    (self.light, self.report) = (QueuedLight(light), report)
    show(isInUse)
  }

  func show(_ isInUse: Bool) {
    light.set(isInUse ? 1 : 0) { [self] error in
      let wasBroken = isBroken.withLock { isBroken in
        defer { isBroken = error != nil }
        return isBroken
      }
      guard let error, !wasBroken else { return }
      report("the in-use light could not be switched \(isInUse ? "on" : "off"): \(error.message)")
    }
  }

  /// Returns when the light shows the state that was set last.
  func settled() async { await light.settled() }
}
