import CCaptureShims

/// The program's own code, as far as the kernel has mapped it for this process.
public enum ProgramCode {
  /// Unmaps all of the code (`MADV_DONTNEED`). The kernel maps code that runs next from the page cache again, sixteen pages at a time, which takes some
  /// tenths of a millisecond in all. Call it when most of the code that just ran is not needed for long: after a start, or at the end of a stream.
  public static func letGo() { capture_let_go_of_code() }
}
