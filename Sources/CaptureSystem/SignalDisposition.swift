import Glibc

/// What the process does with a signal, as whoever began it left that.
public enum SignalDisposition {
  /// `SIG_IGN`, which is 1.
  public static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
