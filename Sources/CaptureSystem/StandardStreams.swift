import CCaptureShims
import Glibc

/// Descriptors 0, 1 and 2.
package enum StandardStreams {
  /// Puts something harmless where a parent left one of them closed, so that no socket or file gets that number and then the
  /// text for people. Each is opened the wrong way round: using it still fails. Call it first of all.
  package static func fillClosed() {
    for (descriptor, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free, which is this one.
      _ = capture_open("/dev/null", flags, 0)
    }
  }
}
