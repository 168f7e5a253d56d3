import Glibc

/// Keeps some of the process's descriptors free. Every second Dispatch opens files in /proc to look after its threads, and it ends the process when
/// it gets no descriptor for that.
package enum DescriptorReserve: Int {
  /// Connections leave this many descriptors free, since streams and files need some too.
  case connections = 16
  /// Streams leave this many descriptors free.
  case streams = 4

  /// Whether a new descriptor is inside the reserve. The kernel gives out the lowest free number, so all numbers below `descriptor` are in use.
  package func has(_ descriptor: Int32) -> Bool {
    Int(descriptor) >= Int(clamping: DescriptorLimit.current) - rawValue
  }

  /// Throws `EMFILE` if a new descriptor is inside the reserve.
  package func check(_ descriptor: Int32) throws(Errno) {
    if has(descriptor) { throw Errno(rawValue: EMFILE) }
  }
}
