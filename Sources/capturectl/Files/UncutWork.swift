import CaptureSystem
import Synchronization

/// Work that a signal does not cut: writing a file on a disk, and giving the file its name. Such work ends by itself, however slow the disk is.
/// Writing into a pipe is not such work, since the pipe's reader may never read again.
enum UncutWork {
  private struct State {
    var running = 0
    /// When the last such work ended, by `CLOCK_MONOTONIC`, in nanoseconds.
    var ended: UInt64 = 0
  }
  private static let state = Mutex(State())

  /// Begins such work. ``end()`` follows.
  static func begin() { state.withLock { $0.running += 1 } }

  static func end() {
    state.withLock { state in
      state.running -= 1
      state.ended = MonotonicClock.now()
    }
  }

  /// The time since the last such work ended, in nanoseconds; 0 while some runs.
  static var quiet: UInt64 {
    state.withLock { $0.running > 0 ? 0 : MonotonicClock.now() &- $0.ended }
  }
}
