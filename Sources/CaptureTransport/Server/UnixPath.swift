import CaptureSystem
import Glibc

/// The path of a Unix socket.
enum UnixPath {
  /// Removes a socket on which nobody listens any more. Fails with `EADDRINUSE` where somebody listens, and with `EEXIST` where the path is not a
  /// socket.
  static func removeStale(_ path: String, _ address: SocketAddress) throws(Errno) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw Errno(rawValue: EEXIST) }
    let probe = try Sockets.make(for: address)
    do throws(Errno) {
      _ = try Sockets.connect(probe.raw, to: address)
    } catch {
      guard error.rawValue == ECONNREFUSED else {
        // A socket with a full backlog (EAGAIN) is alive, and so is one to which we have no access.
        throw error.rawValue == ENOENT ? error : Errno(rawValue: EADDRINUSE)
      }
      UnixPath.File(status).remove(path)
      return
    }
    throw Errno(rawValue: EADDRINUSE)
  }

  /// The identity of a file under any name. It distinguishes a socket from a later one at the same path.
  struct File: Hashable, Sendable {
    private let device, inode: UInt64

    fileprivate init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// The file at the path now; `nil`: none that can be seen.
    init?(at path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    /// Removes the path if it is still this file.
    func remove(_ path: String) {
      if File(at: path) == self { unlink(path) }
    }
  }

  /// The group of the file at a path; `nil`: there is no file that can be seen.
  static func group(of path: String) -> UInt32? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_gid : nil
  }

  /// Binds a socket with these permissions. Nobody can connect before the permissions are set, since nothing listens yet.
  static func bind(_ descriptor: Int32, _ address: SocketAddress, mode: UInt32) throws(Errno) {
    guard case .unix(let path) = address else { return }
    _ = try address.withNative { (pointer, size) throws(Errno) in
      if Glibc.bind(descriptor, pointer, size) != 0 { throw Errno.current }
    }
    _ = try retryingInterrupts { chmod(path, mode) }
  }
}
