import CCaptureShims
import Glibc

extension OwnedDescriptor {
  /// A file in memory, without a name in the file system. Corresponds to `memfd_create(2)`.
  package init(memoryNamed name: String) throws(Errno) {
    self.init(owning: try retryingInterrupts { capture_memory_file(name) })
  }
}

/// Corresponds to `rename(2)`, but throws `EEXIST` where a file with the new name exists. On a file system that cannot do this in one step, it first
/// looks for such a file and then renames.
package func renameReplacingNothing(_ path: String, to new: String) throws(Errno) {
  do throws(Errno) {
    _ = try retryingInterrupts { capture_rename_new(path, new) }
  } catch {
    guard error.rawValue == EINVAL || error.rawValue == ENOSYS else { throw error }
    var status = stat()
    if lstat(new, &status) == 0 { throw Errno(rawValue: EEXIST) }
    _ = try retryingInterrupts { rename(path, new) }
  }
}
