import CaptureModel
import CaptureNode
import CaptureSystem
import Glibc

/// Writes lines to standard error. Text from clients and cameras is escaped and cut if it is long, so that it neither starts a line of its own nor
/// controls a terminal. For journald each line begins with its priority, "<6>", and has no time, which journald adds. In a file or a pipe it begins
/// with the time and the level, and on a terminal with neither.
struct Log: Sendable {
  var level = LogLevel.info
  /// The limit in characters (Unicode scalars). Foreign text is limited where it is inserted.
  private static let longestLine = 4000
  private let form = Form.ofStandardError()

  enum Form {
    case journal, file, terminal

    /// If standard error is journald's, journald names its file in `$JOURNAL_STREAM` (`systemd.exec(5)`).
    static func ofStandardError() -> Form {
      if isatty(STDERR_FILENO) == 1 { return .terminal }
      var status = stat()
      guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return .file }
      return String(cString: stream) == "\(status.st_dev):\(status.st_ino)" ? .journal : .file
    }
  }

  /// Writes a line of the audit, whatever the level. journald knows it as a notice.
  func audit(_ text: String) {
    let prefix =
      switch form {
      case .journal: "<5>"
      case .file: "\(Self.now()) "
      case .terminal: ""
      }
    Self.write("\(prefix)audit: \(text.abridged(to: Self.longestLine))\n", to: STDERR_FILENO)
  }

  func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    let prefix =
      switch form {
      case .journal: "<\(level.priority)>"
      case .file: "\(Self.now()) \(level.rawValue): "
      case .terminal: ""
      }
    Self.write(prefix + text().abridged(to: Self.longestLine) + "\n", to: STDERR_FILENO)
  }

  /// "2026-12-31T23:59:59.123+0100", in local time.
  private static func now() -> String {
    var (time, parts) = (timespec(), tm())
    clock_gettime(CLOCK_REALTIME, &time)
    localtime_r(&time.tv_sec, &parts)
    var text = [CChar](repeating: 0, count: 64)
    func format(_ format: String) -> String {
      let count = strftime(&text, text.count, format, &parts)
      return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let milliseconds = "\(1000 + time.tv_nsec / 1_000_000)".dropFirst()
    return "\(format("%Y-%m-%dT%H:%M:%S")).\(milliseconds)\(format("%z"))"
  }

  /// Writes a line with one `write(2)`, so that lines of several threads do not mix and nothing waits in a buffer. Returns the error where that fails.
  @discardableResult static func write(_ line: String, to descriptor: Int32) -> Errno? {
    var line = line
    return line.withUTF8 { bytes in
      Glibc.write(descriptor, bytes.baseAddress, bytes.count) < 0 ? Errno.current : nil
    }
  }
}
