import CSQLite
import CaptureModel
import CaptureSystem
import Glibc

/// What SQLite says of a failure.
struct SQLiteError: Error {
  /// The extended result code, SQLITE_….
  var code: Int32
  var text: String
  /// The system's error of SQLite's last call.
  var system: Int32

  init(_ code: Int32, of database: OpaquePointer?) {
    self.code = code
    text = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    system = database.map { sqlite3_system_errno($0) } ?? 0
  }

  var isDamaged: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }

  /// A full disk is reported as such, and a mistake in a statement as internal. Any other failure makes the library unavailable.
  var error: CaptureError {
    let isFull =
      code & 0xFF == SQLITE_FULL || code & 0xFF == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT)
    if isFull { return .libraryDiskFull("its index cannot be written: \(text)") }
    // A statement that SQLite does not understand is a mistake of this program, and the library is as good as before.
    if code == SQLITE_ERROR {
      return CaptureError(.internal, "the library's index: \(text)", .init(.unspecified))
    }
    return .libraryUnavailable("its index failed: \(text)\(isDamaged ? "; it is damaged" : "")")
  }
}

extension CaptureError {
  static func libraryDiskFull(_ reason: String) -> CaptureError {
    CaptureError(.resourceExhausted, "the library's disk is full: \(reason)", .init(.diskFull))
  }

  static func libraryUnavailable(_ reason: String) -> CaptureError {
    CaptureError(.unavailable, "the library is not available: \(reason)", .init(.libraryUnavailable))
  }

  /// The error of a library that is not opened, since that would take the descriptors that others need.
  static func libraryWithoutDescriptors(_ path: String, _ error: Errno) -> CaptureError {
    .libraryUnavailable(
      "'\(path)' cannot be opened: \(error); close connections to the node, or allow it more open files")
  }

  /// The error of a system call on the library's files.
  static func library(_ what: String, _ error: Errno) -> CaptureError {
    switch error.rawValue {
    case ENOSPC, EDQUOT: .libraryDiskFull("\(what): \(error)")
    // These say nothing of the disk, so they do not close the library.
    case EMFILE:
      CaptureError(
        .resourceExhausted,
        "\(what): \(error); close connections to the node, or allow it more open files", cause: error,
        .init(.noMemory))
    case ENFILE, ENOMEM:
      CaptureError(.resourceExhausted, "\(what): \(error)", cause: error, .init(.noMemory))
    case EFBIG: CaptureError(.resourceExhausted, "\(what): \(error)", cause: error, .init(.diskFull))
    default: .libraryUnavailable("\(what): \(error)")
    }
  }
}
