import CaptureSystem
import Glibc
import Testing

@testable import capture_node

/// What becomes of a library on a file system that keeps no owners and modes.
@Suite struct MachineUserTests {
  private let user = MachineUser(id: 998, group: 997)

  @Test func whatSuchAFileSystemRefusesIsToldWithWhatToDo() {
    let text = user.obstacle(Errno(rawValue: EPERM))
    for words in ["FAT", "uid=998,gid=997,umask=027", "another file system", "--mark-only"] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(text.hasPrefix(Errno(rawValue: EPERM).description))
  }

  @Test func otherErrorsStayAsTheyAre() {
    let error = Errno(rawValue: EROFS)
    #expect(user.obstacle(error) == error.description)
  }

  /// By its mount options a folder can be the user's and closed, although nobody can close it.
  @Test func aFolderThatIsItsAndClosedNeedsNothingMore() {
    func folder(_ owner: uid_t, _ group: gid_t, _ mode: mode_t) -> stat {
      var status = stat()
      (status.st_uid, status.st_gid, status.st_mode) = (owner, group, S_IFDIR | mode)
      return status
    }
    #expect(user.hasClosed(folder(998, 997, 0o750)) && user.hasClosed(folder(998, 997, 0o700)))
    for open in [
      folder(998, 997, 0o755), folder(998, 997, 0o770), folder(998, 0, 0o750), folder(0, 997, 0o750),
    ] {
      #expect(!user.hasClosed(open))
    }
  }
}
