import CaptureClient
import CaptureOptions

/// How to acquire a lease in place of one that is over. The node's error ends with "acquire a new one".
enum LeaseAdvice {
  /// Begins with a space where there is something to say. With the token of a lease that is over `lock` would try to renew that, and fail as well.
  static func text(_ arguments: Arguments) -> String {
    if arguments[Options.leaseForce] { return "" }
    let lease = arguments[Options.lease]
    // `lock` would renew the lease that was not refused.
    if let lease, let named = arguments[Options.leased].flatMap(LeaseToken.init(parsing:)), named != lease {
      return ""
    }
    if arguments.isGiven(Options.lease) { return " ('capturectl lock' without --lease)" }
    return lease == nil ? " ('capturectl lock')" : " ('unset CAPTURE_LEASE', then 'capturectl lock')"
  }
}
