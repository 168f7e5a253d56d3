import CCaptureShims
import Glibc

/// A file descriptor with one owner, closed once, when its owner lets go of it.
///
/// `close(2)` of a device can block, so the owner should live on a queue that nobody waits for.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// Valid as long as this value lives.
  package let raw: Int32

  /// Takes ownership of `raw`.
  package init(owning raw: Int32) { self.raw = raw }

  /// Opens a file. Corresponds to `open(2)`; `O_CLOEXEC` is always added.
  package init(path: String, flags: Int32, mode: mode_t = 0) throws(Errno) {
    raw = try retryingInterrupts { capture_open(path, flags | O_CLOEXEC, mode) }
  }

  deinit { close(raw) }

  /// Gives the descriptor away; the caller closes it.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }
}
