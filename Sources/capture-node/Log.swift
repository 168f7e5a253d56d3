import CaptureNode
import CaptureSystem
import Glibc

/// Lines on standard error. Where that is no terminal each begins with its priority, as journald reads it: "<6>".
struct Log: Sendable {
  var level = LogLevel.info
  private let showsPriority = isatty(STDERR_FILENO) == 0

  func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    let prefix = showsPriority ? "<\(level.priority)>" : ""
    Self.write(prefix + text() + "\n", to: STDERR_FILENO)
  }

  /// One `write(2)`: lines of several threads do not mix, and nothing waits in a buffer. The reason where it fails.
  @discardableResult static func write(_ line: String, to descriptor: Int32) -> Errno? {
    var line = line
    return line.withUTF8 { bytes in
      Glibc.write(descriptor, bytes.baseAddress, bytes.count) < 0 ? Errno.current : nil
    }
  }
}
