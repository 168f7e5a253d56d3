import CaptureModel
import CaptureSystem
import Synchronization

/// State that the camera's calls and its stream share.
final class SyntheticState: Sendable {
  struct Values {
    var faults = PendingFaults()
    var controlDelay = Duration.zero
    var counters = CameraCounters()
    var isUnplugged = false
    var input = 0
    var observer: (@Sendable (ControlChange) -> Void)?
    /// The buffers of the running stream.
    var buffers: LentBuffers?
  }

  private let values = Mutex(Values())

  func withLock<R: Sendable>(_ body: (inout sending Values) -> sending R) -> R { values.withLock(body) }

  /// Adds to one of the camera's counters.
  func count(_ counter: WritableKeyPath<CameraCounters, UInt64> & Sendable, _ number: UInt64 = 1) {
    values.withLock { $0.counters[keyPath: counter] += number }
  }
}
