import CaptureNode
import CaptureSystem
import Glibc

extension LibrarySetup {
  /// Throws unless the folder can be given to the user: it is missing, is the user's already, or is root's and empty.
  func requireCanGive(to user: MachineUser) throws(ConfigurationError) {
    let path = rootFolder + folder
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else {
        throw ConfigurationError("'\(folder)' cannot be looked at: \(Errno.current)")
      }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw ConfigurationError("'\(folder)' is no folder") }
    guard status.st_uid != user.id else { return }
    // A disk that was just formatted has lost+found, and counts as empty.
    let isEmpty = try names(in: path).allSatisfy { $0 == "lost+found" }
    guard status.st_uid == 0, isEmpty else {
      let obstacle = isEmpty ? "belongs to another user" : "has files in it"
      throw ConfigurationError(
        "'\(folder)' cannot be given to \(Self.user), the user of the node: it \(obstacle); "
          + "give it to \(Self.user) yourself (sudo chown -R \(Self.user) \(folder)) and run this again, or choose a new folder"
      )
    }
  }

  /// Gives the user the library's folder, and the files that the library itself keeps in it. Others cannot enter it, and what is made in it gets its
  /// group. What is the user's already in a library that was there before keeps its group and its mode, by which an administrator lets others read.
  func giveFolder(to user: MachineUser, ofNewLibrary isNew: Bool) throws(ConfigurationError) {
    let path = rootFolder + folder
    let ownFolder = path + "/.capture-library"
    for path in try [path, ownFolder] + names(in: ownFolder).map({ ownFolder + "/" + $0 }) {
      var status = stat()
      if lstat(path, &status) == 0, status.st_uid == user.id, !isNew { continue }
      guard lchown(path, user.id, user.group) == 0,
        status.st_mode & S_IFMT != S_IFDIR || chmod(path, 0o2750) == 0
      else {
        throw ConfigurationError("'\(path)' cannot be given to \(Self.user): \(Errno.current)")
      }
    }
  }

  /// Writes a file of the machine: all of it, or nothing. Makes the file's folder.
  func write(_ text: String, to path: String) throws(ConfigurationError) {
    let path = rootFolder + path
    do throws(Errno) {
      if mkdir(SmallFile.folder(of: path), 0o755) != 0, errno != EEXIST { throw Errno.current }
      try SmallFile.replace(path, with: Array(text.utf8))
      if chmod(path, 0o644) != 0 { throw Errno.current }
    } catch {
      throw ConfigurationError("'\(path)' cannot be written: \(error)")
    }
  }

  private func names(in folder: String) throws(ConfigurationError) -> [String] {
    do throws(Errno) { return try FolderNames.names(in: folder) } catch {
      throw ConfigurationError("'\(folder)' cannot be read: \(error)")
    }
  }
}

/// A user of a machine, from that machine's /etc/passwd: in an image the user's number may differ from the one on this machine.
struct MachineUser {
  let id: uid_t
  let group: gid_t

  /// `rootFolder`: the folder below which the machine's files are; empty for this machine.
  init?(_ name: String, below rootFolder: String) {
    guard let bytes = try? SmallFile.bytes(of: rootFolder + "/etc/passwd", upTo: 1 << 24) else { return nil }
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
