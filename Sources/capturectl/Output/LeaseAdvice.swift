import CaptureClient
import CaptureOptions

/// Says how to acquire a lease in place of one that is over. The text follows the node's error, which ends with "acquire a new one".
enum LeaseAdvice {
  /// The text begins with a space; it is empty where there is nothing to say. It says how to leave out the old token: with that token `lock` would
  /// try to renew the old lease, and fail as well.
  static func text(_ arguments: Arguments) -> String {
    if arguments[Options.leaseForce] { return "" }
    let leases = arguments.all(Options.lease)
    // There is no advice where the node has refused the named token, and not that of `--lease`: `lock` would renew the lease of `--lease`.
    if !leases.isEmpty, let named = arguments[Options.leased].flatMap(LeaseToken.init(parsing:)),
      !leases.contains(named)
    {
      return ""
    }
    if arguments.isGiven(Options.lease) { return " ('capturectl lock' without --lease)" }
    return leases.isEmpty ? " ('capturectl lock')" : " ('unset CAPTURE_LEASE', then 'capturectl lock')"
  }
}
