import CaptureSystem
import Glibc

/// What is asked of the file system of a library. Tests put another one in its place.
struct LibraryDisk: Sendable {
  /// The bytes that are free for the node. The argument is a descriptor on the file system.
  var free: @Sendable (Int32) throws(Errno) -> Int64

  static let system = LibraryDisk { descriptor throws(Errno) in
    var status = statvfs()
    _ = try retryingInterrupts { fstatvfs(descriptor, &status) }
    return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}
