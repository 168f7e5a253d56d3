import CaptureNode
import CaptureSystem
import Glibc

extension LibrarySetup {
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
