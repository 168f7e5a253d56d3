import CCaptureShims
import CaptureSystem
import Glibc

/// What is asked of the file system of a library. Tests put another one in its place. The arguments are descriptors on the file system.
struct LibraryDisk: Sendable {
  /// The bytes that are free for the node.
  var free: @Sendable (Int32) throws(Errno) -> Int64
  /// Writes everything to the disk, which may take long. Some file systems only then give the space of removed files back.
  var sync: @Sendable (Int32) -> Void = { _ in }

  static let system = LibraryDisk(
    free: { descriptor throws(Errno) in
      var status = statvfs()
      _ = try retryingInterrupts { fstatvfs(descriptor, &status) }
      return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    },
    sync: { _ = capture_sync_file_system($0) })
}
