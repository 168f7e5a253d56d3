import CaptureSystem
import Glibc

/// A user of a machine, by numbers.
struct MachineUser {
  let id: uid_t
  let group: gid_t
}

extension MachineUser {
  /// Finds the user in the machine's /etc/passwd: in an image the user's number may differ from the one on this machine.
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

  /// Whether a folder is the user's already, others cannot enter it, and its group cannot write in it.
  func hasClosed(_ folder: stat) -> Bool {
    folder.st_uid == id && folder.st_gid == group && folder.st_mode & 0o027 == 0
  }

  /// Why a file cannot be given to the user, and what to do. A file system without owners and modes lets not even root change them.
  func obstacle(_ error: Errno) -> String {
    guard error.rawValue == EPERM else { return error.description }
    return
      "\(error). A file system that keeps no owners and modes, such as FAT or exFAT, refuses that: mount it so that its files are that user's "
      + "(uid=\(id),gid=\(group),umask=027), and run this again, or choose a folder on another file system, such as ext4. "
      + "--mark-only gives nothing away: it makes a library of a folder in which that user may write already"
  }
}
