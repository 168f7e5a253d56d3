import CCaptureShims

/// The program's own code, as far as the kernel has mapped it for this process.
public enum ProgramCode {
  /// Lets go of all of it (`MADV_DONTNEED`); what runs next is mapped again from the page cache, sixteen pages at a time, some tenths of a
  /// millisecond in all. For moments after which most of what ran is not needed for long: a start, the end of a stream.
  public static func letGo() { capture_let_go_of_code() }
}
