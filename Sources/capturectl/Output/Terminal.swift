import CaptureSystem
import Glibc

/// The process's standard streams.
enum Terminal {
  /// The columns of standard output; `nil` where it is not a terminal, so that no line is broken.
  static var width: Int? { width(of: STDOUT_FILENO) }
  /// The columns of standard error.
  static var errorWidth: Int? { width(of: STDERR_FILENO) }

  private static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
    return Int(size.ws_col)
  }

  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes all of `text` to standard output.
  static func print(_ text: String) throws(Failure) {
    var text = text
    let error = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
    guard let error else { return }
    if error == .brokenPipe { throw .readerGone }
    throw Failure("cannot write to standard output: \(error)")
  }

  /// Writes all of `text` to standard error. A failure is ignored: nobody could be told.
  static func printError(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Errno? {
    var rest = bytes[...]
    do throws(Errno) {
      while !rest.isEmpty {
        let chunk = UnsafeRawBufferPointer(rebasing: rest)
        let count = try retryingInterrupts { Glibc.write(descriptor, chunk.baseAddress, chunk.count) }
        rest = rest.dropFirst(count)
      }
      return nil
    } catch {
      return error
    }
  }
}
