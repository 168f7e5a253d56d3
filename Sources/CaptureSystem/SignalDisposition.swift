import Glibc

/// How this process handles a signal; at its start, as its parent process left it.
public enum SignalDisposition {
  /// Whether the process ignores the signal (`SIG_IGN`, which is 1).
  public static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
