import CaptureModel
import Synchronization

/// A camera's counters: written on its capture queue, read anywhere.
final class CounterStore: Sendable {
  private let values = Mutex(CameraCounters())

  var current: CameraCounters { values.withLock { $0 } }

  func update(_ change: (inout CameraCounters) -> Void) {
    values.withLock { change(&$0) }
  }
}
