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
  /// may have left that file behind, `O_EXCL` if such a file may be somebody else's. Where this throws, the old file is still there, but for one case: if the
  /// folder cannot be written to the disk after that, the new file is there, and a power cut may bring the old one back.
  package static func replace(
    _ path: String, through temporary: String, flags: Int32, mode: mode_t,
    _ write: (borrowing OwnedDescriptor) throws(Errno) -> Void
  ) throws(Errno) {
    let file = try OwnedDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | flags, mode: mode)
    let folder: SharedDescriptor?
    do throws(Errno) {
      try write(file)
      _ = try retryingInterrupts { fsync(file.raw) }
      // The folder is opened before the file is replaced. So where that fails, the old file is still there, as the error says.
      folder = try openFolder(of: path)
      _ = try retryingInterrupts { rename(temporary, path) }
    } catch {
      // This frees the space that the incomplete file took on a full disk.
      unlink(temporary)
      throw error
    }
    if let folder { try synchronize(folder) }
  }

  /// Opens the folder of a file, to synchronize it. `nil`: it may be written to, and not read, so it cannot be synchronized.
  private static func openFolder(of path: String) throws(Errno) -> SharedDescriptor? {
    do throws(Errno) {
      return SharedDescriptor(try OwnedDescriptor(path: folder(of: path), flags: O_RDONLY | O_DIRECTORY))
    } catch .accessDenied {
      return nil
    }
  }

  /// Writes a folder to the disk. Some file systems cannot do that, and say `EINVAL`.
  private static func synchronize(_ folder: SharedDescriptor) throws(Errno) {
    do throws(Errno) {
      _ = try retryingInterrupts { fsync(folder.raw) }
    } catch {
      if error != .invalid { throw error }
    }
  }

  /// The folder of the file; "." for a name alone.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
