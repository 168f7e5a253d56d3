import Glibc

/// How many descriptors this process may have open (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
  /// The soft limit, at which the kernel gives no further descriptor (`EMFILE`).
  package static var current: UInt64 { UInt64(limits.rlim_cur) }

  /// Raises the soft limit to the hard one. A process usually begins with 1024, for the sake of `select(2)`, which has
  /// no room for more; the node polls.
  package static func raise() {
    var raised = limits
    guard raised.rlim_cur < raised.rlim_max else { return }
    raised.rlim_cur = raised.rlim_max
    // If this fails, the limit stays as it is.
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised)
  }

  private static var limits: rlimit {
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    return limits
  }
}
