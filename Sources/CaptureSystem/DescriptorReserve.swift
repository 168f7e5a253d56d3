import Glibc

/// Descriptors of the process that are kept free. Dispatch looks after its threads in /proc every second, and ends the process when it
/// gets none for that.
package enum DescriptorReserve: Int {
  /// What connections leave: streams and files need some too.
  case connections = 16
  /// What streams leave.
  case streams = 4

  /// Whether a new descriptor is one of those to be left. The kernel gives the lowest number that is free, so all below it are in use.
  package func has(_ descriptor: Int32) -> Bool {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(descriptor) >= Int(clamping: limit.rlim_cur) - rawValue
  }
}
