import CaptureSystem
import Glibc

/// The locked file "clip.part" of a recording into "clip". If an earlier recording that was cut has left one with frames, that one stays, and this is
/// "clip.2.part".
struct RecordingPart: ~Copyable {
  let path: String
  let descriptor: OwnedDescriptor
  /// The first file that an earlier recording left.
  let leftover: String?

  /// How many names for the file are tried: each earlier recording that was cut may have left a file of one name.
  private static let mostLeftovers = 1000

  /// Throws `EBUSY` while another recording writes the same file.
  init(of final: String) throws(Errno) {
    var leftover: String?
    for number in 1...Self.mostLeftovers {
      let path = number == 1 ? "\(final).part" : "\(final).\(number).part"
      guard let descriptor = try Self.open(path) else {
        leftover = leftover ?? path
        continue
      }
      self.path = path
      self.descriptor = descriptor
      self.leftover = leftover
      return
    }
    throw Errno(rawValue: EEXIST)
  }

  /// Makes or opens the file, and locks it. Returns `nil` where it has contents, or is no regular file that can be opened.
  private static func open(_ path: String) throws(Errno) -> OwnedDescriptor? {
    while true {
      do throws(Errno) {
        let descriptor = try OwnedDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
        try lock(descriptor)
        return descriptor
      } catch {
        guard error.rawValue == EEXIST else { throw error }
      }
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }  // It has gone meanwhile.
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      let descriptor: OwnedDescriptor
      do throws(Errno) {
        descriptor = try OwnedDescriptor(path: path, flags: O_WRONLY | O_NOFOLLOW)
      } catch {
        if error.rawValue == ENOENT { continue }
        return nil
      }
      try lock(descriptor)
      guard fstat(descriptor.raw, &status) == 0, status.st_size == 0 else { return nil }
      // The file is empty, and no other recording has locked it.
      if status.st_nlink > 0 { return descriptor }
    }
  }

  /// Locks the file. If the file system has no locks, it stays unlocked.
  private static func lock(_ descriptor: borrowing OwnedDescriptor) throws(Errno) {
    let isAlone: Bool
    do throws(Errno) { isAlone = try descriptor.acquireLock() } catch { return }
    guard isAlone else { throw Errno.busy }
  }
}
