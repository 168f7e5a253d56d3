import CCaptureShims
import Glibc
import Synchronization

/// Keeps some of the process's descriptors free. Every second Dispatch opens files in /proc to look after its threads, and it ends the process when
/// it gets no descriptor for that.
package enum DescriptorReserve: Int {
  /// Connections leave this many descriptors free, since streams and files need some too.
  case connections = 16
  /// The library's files that stay open leave this many descriptors free, since streams and the library's short work need some too.
  case files = 8
  /// Streams leave this many descriptors free, and so does the library's short work.
  case streams = 4

  /// Whether a new descriptor is inside the reserve. The kernel gives out the lowest free number, so all numbers below `descriptor` are in use.
  package func has(_ descriptor: Int32, limit: UInt64 = DescriptorLimit.current) -> Bool {
    Int(descriptor) >= Int(clamping: limit) - rawValue
  }

  /// Throws `EMFILE` if a new descriptor is inside the reserve.
  package func check(_ descriptor: Int32, limit: UInt64 = DescriptorLimit.current) throws(Errno) {
    if has(descriptor, limit: limit) { throw Errno(rawValue: EMFILE) }
  }

  /// Returns the descriptor that `make` makes, as a system call does. Throws `EMFILE` where it would be inside the reserve.
  package func descriptor(_ make: () -> Int32) throws(Errno) -> OwnedDescriptor {
    try taking { () throws(Errno) -> OwnedDescriptor in
      let descriptor = OwnedDescriptor(owning: try retryingInterrupts(make))
      try check(descriptor.raw)
      return descriptor
    }
  }
}

extension DescriptorReserve {
  /// How many descriptors are being taken now.
  private static let taken = Mutex(0)

  /// Runs `body`, which takes `count` descriptors, and may wait for a driver or a disk meanwhile. Throws `EMFILE`, and does not run it, where these would be
  /// inside the reserve. All that are being taken at the same moment are counted together: otherwise each body would have room, and all of them not.
  package func taking<R: ~Copyable>(
    _ count: Int = 1, limit: UInt64 = DescriptorLimit.current, _ body: () throws(Errno) -> R
  ) throws(Errno) -> R {
    try taking(count, limit: limit, failed: { $0 }, body)
  }

  /// The same. `failed`: the error for `EMFILE`.
  package func taking<R: ~Copyable, E: Error>(
    _ count: Int = 1, limit: UInt64 = DescriptorLimit.current, failed: (Errno) -> E,
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    do throws(Errno) {
      try Self.taken.withLock { taken throws(Errno) in
        try requireRoom(for: taken + count, limit: limit)
        taken += count
      }
    } catch {
      throw failed(error)
    }
    defer { Self.taken.withLock { $0 -= count } }
    return try body()
  }

  /// Throws `EMFILE` unless so many descriptors outside the reserve are free. It takes them for a moment: only the kernel knows which numbers are free.
  private func requireRoom(for count: Int, limit: UInt64) throws(Errno) {
    var found: [Int32] = []
    defer { for descriptor in found { close(descriptor) } }
    for _ in 0..<count {
      let descriptor = try retryingInterrupts { eventfd(0, Int32(EFD_CLOEXEC)) }
      found.append(descriptor)
      try check(descriptor, limit: limit)
    }
  }
}
