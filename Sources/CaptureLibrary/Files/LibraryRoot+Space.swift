import CaptureSystem
import Glibc

enum FileLength {
  /// The bytes of an open file; `nil`: the system does not say.
  static func of(_ file: SharedDescriptor) -> Int64? {
    var status = stat()
    return fstat(file.raw, &status) == 0 ? Int64(status.st_size) : nil
  }
}

extension LibraryRoot {
  /// Renames a damaged index, so that a new one can be made.
  func setIndexAside() throws(Errno) {
    let folder = try folder([Self.own])
    for suffix in ["-wal", "-shm"] { unlinkat(folder.raw, "index.sqlite" + suffix, 0) }
    _ = try retryingInterrupts {
      renameat(folder.raw, "index.sqlite", folder.raw, "index.sqlite.damaged")
    }
  }
}

extension LibraryRoot {
  private static let reserve = own + "/reserve"
  private static let reservedBytes: off_t = 1 << 20

  /// Reserves some space of the disk, which is given back when the disk is full, so that assets can still be deleted. If there is no room for the
  /// reserve, deleting may fail on a full disk.
  func takeReserve() {
    let file = openat(descriptor.raw, Self.reserve, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard file >= 0 else { return }
    defer { Glibc.close(file) }
    if posix_fallocate(file, 0, Self.reservedBytes) != 0 { unlinkat(descriptor.raw, Self.reserve, 0) }
  }

  /// Gives the reserved space back. Returns whether any was reserved.
  func giveReserve() -> Bool { unlinkat(descriptor.raw, Self.reserve, 0) == 0 }
}
