import CaptureNode
import CaptureSystem
import Glibc

extension LibrarySetup {
  /// Throws where the folder is not the user's, and may be of use to somebody else as it is.
  func requireOwnable(_ user: MachineUser) throws(ConfigurationError) {
    let path = machine + folder
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else {
        throw ConfigurationError("'\(folder)' cannot be looked at: \(Errno.current)")
      }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw ConfigurationError("'\(folder)' is no folder") }
    guard status.st_uid != user.id else { return }
    // As of a disk that was just formatted.
    let isEmpty = try names(in: path).allSatisfy { $0 == "lost+found" }
    guard status.st_uid == 0, isEmpty else {
      throw ConfigurationError(
        "'\(folder)' does not belong to \(Self.user), the user of the node, and \(isEmpty ? "is somebody's" : "has files in it"); "
          + "give it away (sudo chown -R \(Self.user) \(folder)) and run this again, or choose a new folder")
    }
  }

  /// Gives the user the folder, and the library's own files.
  func own(_ user: MachineUser) throws(ConfigurationError) {
    let path = machine + folder
    let own = path + "/.capture-library"
    for path in try [path, own] + names(in: own).map({ own + "/" + $0 }) {
      guard lchown(path, user.id, user.group) == 0 else {
        throw ConfigurationError("'\(path)' cannot be given to \(Self.user): \(Errno.current)")
      }
    }
  }

  /// Writes a file of the machine, whole, with the folder that it is in.
  func write(_ text: String, to path: String) throws(ConfigurationError) {
    let path = machine + path
    do throws(Errno) {
      if mkdir(SmallFile.folder(of: path), 0o755) != 0, errno != EEXIST { throw Errno.current }
      try SmallFile.replace(path, with: Array(text.utf8))
      if chmod(path, 0o644) != 0 { throw Errno.current }
    } catch {
      throw ConfigurationError("'\(path)' cannot be written: \(error)")
    }
  }

  private func names(in folder: String) throws(ConfigurationError) -> [String] {
    guard let directory = opendir(folder) else {
      throw ConfigurationError("'\(folder)' cannot be read: \(Errno.current)")
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// A user of a machine, by its own list: an image has other numbers than this machine.
struct MachineUser {
  let id: uid_t
  let group: gid_t

  init?(_ name: String, of machine: String) {
    guard let bytes = try? SmallFile.bytes(of: machine + "/etc/passwd", upTo: 1 << 24) else { return nil }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = String(decoding: line, as: UTF8.self).split(
        separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 4, fields[0] == name, let id = uid_t(fields[2]), let group = gid_t(fields[3])
      else {
        continue
      }
      (self.id, self.group) = (id, group)
      return
    }
    return nil
  }
}
