import CaptureSystem
import Glibc

/// A Unix socket's place in the file system.
enum UnixPath {
  /// Removes a socket that nobody listens on any more. Fails with `EADDRINUSE` when somebody does, with `EEXIST` when
  /// the path is something else.
  static func removeStale(_ path: String, _ address: SocketAddress) throws(Errno) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw Errno(rawValue: EEXIST) }
    let probe = try Sockets.make(for: address)
    do throws(Errno) {
      _ = try Sockets.connect(probe.raw, to: address)
    } catch {
      guard error.rawValue == ECONNREFUSED else {
        // A full backlog (EAGAIN) is a live one; so is one we may not talk to.
        throw error.rawValue == ENOENT ? error : Errno(rawValue: EADDRINUSE)
      }
      UnixPath.File(status).remove(path)
      return
    }
    throw Errno(rawValue: EADDRINUSE)
  }

  /// Which file it is, under whatever name: one that came to a path after another is not taken for it.
  struct File: Hashable, Sendable {
    private let device, inode: UInt64

    fileprivate init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// What is at the path now; `nil`: nothing that can be seen.
    init?(at path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      self.init(status)
    }

    /// Removes the path, if it is still this file.
    func remove(_ path: String) {
      if File(at: path) == self { unlink(path) }
    }
  }

  /// Binds with these permissions from the first moment on: nobody can connect before they are right, since nothing listens.
  static func bind(_ descriptor: Int32, _ address: SocketAddress, mode: UInt32) throws(Errno) {
    guard case .unix(let path) = address else { return }
    _ = try address.withNative { (pointer, size) throws(Errno) in
      if Glibc.bind(descriptor, pointer, size) != 0 { throw Errno.current }
    }
    _ = try retryingInterrupts { chmod(path, mode) }
  }
}
