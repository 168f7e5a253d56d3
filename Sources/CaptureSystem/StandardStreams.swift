import CCaptureShims
import Glibc

/// Descriptors 0, 1 and 2.
package enum StandardStreams {
  /// Opens /dev/null in place of each standard stream that the parent process left closed. Otherwise a socket or a file would get its number, and
  /// then receive text that is meant for people. Each is opened in the wrong direction, such as standard input for writing, so that using it still
  /// fails. Call this before anything else.
  package static func fillClosed() {
    for (descriptor, flags) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) < 0 {
      // `open` takes the lowest free number, which is this one.
      _ = capture_open("/dev/null", flags, 0)
    }
  }
}
