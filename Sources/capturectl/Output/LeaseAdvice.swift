import CaptureOptions

/// How to acquire a lease in place of one that is over. The node's error ends with "acquire a new one".
enum LeaseAdvice {
  /// Begins with a space where there is something to say. With the token of a lease that is over `lock` would try to renew that, and fail as well.
  static func text(_ arguments: Arguments) -> String {
    if arguments[Options.leaseForce] { return "" }
    if arguments.isGiven(Options.lease) { return " ('capturectl lock' without --lease)" }
    return arguments[Options.lease] == nil
      ? " ('capturectl lock')" : " ('unset CAPTURE_LEASE', then 'capturectl lock')"
  }
}
