import CaptureModel
import CaptureNode
import CaptureSystem
import Glibc

/// Writes lines to standard error, and does not wait for their reader (``LogWriter``).
///
/// Text from clients and cameras is escaped and cut if it is long, so that it neither starts a line of its own nor controls a terminal. For journald
/// each line begins with its priority, "<6>", and has no time, which journald adds. In a file or a pipe it begins with the time and the level, and on
/// a terminal with neither.
struct Log: Sendable {
  var level = LogLevel.info
  /// The longest line, in characters (Unicode scalars). Text from clients and cameras is cut where it is put into a line.
  private static let longestLine = 4000
  private let form: Form
  private let writer: LogWriter

  init() {
    let form = Form.ofStandardError()
    self.form = form
    writer = LogWriter(to: STDERR_FILENO) { count in
      "\(form.prefix(.warning))\(count) \(count == 1 ? "line is" : "lines are") missing here: standard error took no more\n"
    }
  }

  enum Form {
    case journal, file, terminal

    /// If standard error is journald's, journald names its file in `$JOURNAL_STREAM` (`systemd.exec(5)`).
    static func ofStandardError() -> Form {
      if isatty(STDERR_FILENO) == 1 { return .terminal }
      var status = stat()
      guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return .file }
      return String(cString: stream) == "\(status.st_dev):\(status.st_ino)" ? .journal : .file
    }

    /// The beginning of a line.
    func prefix(_ level: LogLevel) -> String {
      switch self {
      case .journal: "<\(level.priority)>"
      case .file: "\(Log.now()) \(level.rawValue): "
      case .terminal: ""
      }
    }

    /// The beginning of a line of the audit, which is a notice for journald.
    var auditPrefix: String {
      switch self {
      case .journal: "<5>"
      case .file: "\(Log.now()) "
      case .terminal: ""
      }
    }
  }

  /// Writes a line of the audit, whatever the level. Returns once the line is written, so that the audit counts calls while the log takes nothing.
  func audit(_ text: String) {
    writer.write("\(form.auditPrefix)audit: \(text.abridged(to: Self.longestLine))\n")
  }

  func callAsFunction(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard level <= self.level else { return }
    writer.add(form.prefix(level) + text().abridged(to: Self.longestLine) + "\n")
  }

  /// Waits until the lines so far are written, but not longer than `limit`. For the end of the process.
  func flush(atMost limit: Duration) { writer.flush(atMost: limit) }

  /// "2026-12-31T23:59:59.123+0100", in local time.
  fileprivate static func now() -> String {
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

  /// Prints what a command was asked for. Throws where standard output does not take it. A reader who has gone has had enough.
  static func print(_ text: String) throws(CaptureError) {
    guard let error = write(text, to: STDOUT_FILENO), error != .brokenPipe else { return }
    throw CaptureError(.unknown, "cannot write to standard output: \(error)", cause: error)
  }

  /// Writes a text that is no line of the log, at once, and waits for its reader. Returns the error where that fails.
  @discardableResult static func write(_ text: String, to descriptor: Int32) -> Errno? {
    LogWriter.write(text, to: descriptor)
  }
}
