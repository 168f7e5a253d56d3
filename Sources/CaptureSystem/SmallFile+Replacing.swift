import Glibc

extension SmallFile {
  /// Writes a file with ".new" at the end of its name, and renames it to `path` once it is on the disk. Whenever the process or the machine dies, the
  /// old or the new file is whole.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(Errno) {
    let temporary = path + ".new"
    do throws(Errno) {
      let file = try OwnedDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = try retryingInterrupts {
          rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
        }
        rest = rest.dropFirst(count)
      }
      _ = try retryingInterrupts { fsync(file.raw) }
    } catch {
      // This frees the space that the incomplete file took on a full disk.
      unlink(temporary)
      throw error
    }
    _ = try retryingInterrupts { rename(temporary, path) }
    let folder = try OwnedDescriptor(path: folder(of: path), flags: O_RDONLY | O_DIRECTORY)
    _ = try retryingInterrupts { fsync(folder.raw) }
  }

  /// The folder of the file; "." for a name alone.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
