import CaptureSystem
import Synchronization

/// Work that a signal does not cut: what goes into a file of a disk, and the file's name. It ends by itself, however slow the disk is. What goes into a
/// pipe is not such work, for its reader may never read again.
enum UncutWork {
  private struct State {
    var running = 0
    /// When the last one ended, by `CLOCK_MONOTONIC`.
    var ended: UInt64 = 0
  }
  private static let state = Mutex(State())

  /// ``end()`` follows.
  static func begin() { state.withLock { $0.running += 1 } }

  static func end() {
    state.withLock { state in
      state.running -= 1
      state.ended = MonotonicClock.now()
    }
  }

  /// The time since the last one, in nanoseconds; 0 while there is one.
  static var quiet: UInt64 {
    state.withLock { $0.running > 0 ? 0 : MonotonicClock.now() &- $0.ended }
  }
}
