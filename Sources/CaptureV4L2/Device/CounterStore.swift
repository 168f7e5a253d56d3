import CaptureModel
import Synchronization

/// A camera's counters. The capture thread writes them, and any thread may read them.
final class CounterStore: Sendable {
  private let values = Mutex(CameraCounters())

  var current: CameraCounters { values.withLock { $0 } }

  func update(_ change: (inout CameraCounters) -> Void) {
    values.withLock { change(&$0) }
  }
}
