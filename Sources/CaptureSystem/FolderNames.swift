import Glibc

/// Lists folders.
package enum FolderNames {
  /// The names in a folder, without "." and "..", in no order.
  package static func names(in folder: String) throws(Errno) -> [String] {
    guard let directory = opendir(folder) else { throw .current }
    return try names(in: directory)
  }

  /// The names in a folder, by its descriptor, which stays open.
  package static func names(in folder: borrowing OwnedDescriptor) throws(Errno) -> [String] {
    let own = try retryingInterrupts { openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let directory = fdopendir(own) else {
      let error = Errno.current
      close(own)
      throw error
    }
    return try names(in: directory)
  }

  /// Reads the names, and closes the directory.
  private static func names(in directory: OpaquePointer) throws(Errno) -> [String] {
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw .current }
        return names
      }
      let name = name(of: entry)
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Reads an entry's name up to its NUL. Swift's `d_name` would copy the whole field: for the last entry in the C library's buffer, that reads past
  /// the buffer's end.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
    return String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}
