import Glibc

extension SmallFile {
  /// Replaces a file that only this process writes. Whenever the process or the machine dies, either the old file or the new one is there, and is
  /// whole.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(Errno) {
    try replace(path, through: path + ".new", flags: O_TRUNC, mode: 0o600) { file throws(Errno) in
      try file.write(Payload(copying: bytes))
    }
  }

  /// Has `write` fill a file that is called `temporary`, and renames it to `path` once it is on the disk. `flags`: `O_TRUNC` if an earlier attempt
  /// may have left that file behind, `O_EXCL` if such a file may be somebody else's.
  package static func replace(
    _ path: String, through temporary: String, flags: Int32, mode: mode_t,
    _ write: (borrowing OwnedDescriptor) throws(Errno) -> Void
  ) throws(Errno) {
    let file = try OwnedDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | flags, mode: mode)
    do throws(Errno) {
      try write(file)
      _ = try retryingInterrupts { fsync(file.raw) }
      _ = try retryingInterrupts { rename(temporary, path) }
    } catch {
      // This frees the space that the incomplete file took on a full disk.
      unlink(temporary)
      throw error
    }
    let folder = try OwnedDescriptor(path: folder(of: path), flags: O_RDONLY | O_DIRECTORY)
    _ = try retryingInterrupts { fsync(folder.raw) }
  }

  /// The folder of the file; "." for a name alone.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
