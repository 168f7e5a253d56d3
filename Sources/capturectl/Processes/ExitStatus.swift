/// How a process ended. The raw value is what `waitpid(2)` stores.
struct ExitStatus: RawRepresentable, CustomStringConvertible {
  let rawValue: Int32

  var isSuccess: Bool { rawValue == 0 }

  /// "exit status 1" or "signal 9".
  var description: String {
    let signal = rawValue & 0x7F
    return signal == 0 ? "exit status \(rawValue >> 8 & 0xFF)" : "signal \(signal)"
  }
}
