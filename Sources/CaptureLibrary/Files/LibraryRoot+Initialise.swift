public import CaptureModel
import CaptureSystem
import Glibc

extension LibraryRoot {
  /// Makes a folder a library. The folder is made if only its parent exists. Returns the library's identity, and whether it is new. Throws `unavailable`
  /// where that fails.
  public static func initialise(_ path: String) throws(CaptureError) -> (id: String, isNew: Bool) {
    do throws(Errno) {
      if mkdir(path, 0o750) != 0, errno != EEXIST { throw Errno.current }
      return try initialise(OwnedDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY))
    } catch {
      throw .libraryUnavailable("'\(path)' cannot become a library: \(error)")
    }
  }

  /// Makes an open folder a library. No link in it is followed: this may be done by root, and the folder be that of a user who is not trusted. A mark that
  /// cannot be read now is not replaced, since the library would have another identity then.
  package static func initialise(
    _ folder: borrowing OwnedDescriptor
  ) throws(Errno) -> (id: String, isNew: Bool) {
    let ownFolder = try makeOwnFolder(in: folder)
    if let id = try identity(in: ownFolder) { return (id, false) }
    let id = (0..<16).map { _ in UInt8.random(in: 0...255) }.hexDigits
    let temporary = markName + ".new"
    unlinkat(ownFolder.raw, temporary, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = OwnedDescriptor(
      owning: try retryingInterrupts { openat(ownFolder.raw, temporary, flags, 0o640) })
    fchmod(file.raw, 0o640)
    try file.write(Payload(copying: Array((header + id + "\n").utf8)))
    _ = try retryingInterrupts { fsync(file.raw) }
    _ = try retryingInterrupts { renameat(ownFolder.raw, temporary, ownFolder.raw, markName) }
    _ = try retryingInterrupts { fsync(ownFolder.raw) }
    _ = try retryingInterrupts { fsync(folder.raw) }
    return (id, true)
  }

  /// Whether an open folder is a library. Makes the folder of a library's own files if it is missing. Throws `ENOTDIR` if that is a link or no folder.
  package static func isLibrary(_ folder: borrowing OwnedDescriptor) throws(Errno) -> Bool {
    let ownFolder = try makeOwnFolder(in: folder)
    return try identity(in: ownFolder) != nil
  }

  /// Opens the folder of a library's own files, which is made if it is missing. Throws `ENOTDIR` if it is a link or no folder.
  package static func makeOwnFolder(in folder: borrowing OwnedDescriptor) throws(Errno) -> OwnedDescriptor {
    if mkdirat(folder.raw, own, 0o750) != 0, errno != EEXIST { throw Errno.current }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return OwnedDescriptor(owning: try retryingInterrupts { openat(folder.raw, own, flags) })
  }

  /// The identity that the mark names; `nil`: there is no mark, or something else in its place.
  private static func identity(in ownFolder: borrowing OwnedDescriptor) throws(Errno) -> String? {
    // What is there may also be a pipe or a device.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    do throws(Errno) {
      return try identity(
        of: OwnedDescriptor(owning: try retryingInterrupts { openat(ownFolder.raw, markName, flags) }))
    } catch {
      if [ENOENT, ELOOP, ENXIO, ENODEV, EISDIR, EFBIG].contains(error.rawValue) { return nil }
      throw error
    }
  }
}
