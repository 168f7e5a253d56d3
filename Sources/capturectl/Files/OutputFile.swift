import CaptureSystem
import Glibc

/// The file of a picture while it is written. A regular file has no name until ``finish(durably:)``, so that nothing is left of an unfinished file,
/// not even after a SIGKILL. On a file system without nameless files it has a temporary name. Devices and FIFOs are written directly. A stream's
/// single file is a ``RecordingFile``.
struct OutputFile: ~Copyable {
  /// The name that the person gave.
  private let name: String
  /// Whether the file is standard output, whose reader may leave when it has enough.
  private let isStandardOutput: Bool
  private let descriptor: OwnedDescriptor
  /// `nil` for a file that is written directly.
  private var pending: Pending?

  private struct Pending {
    var final: String
    /// A name in the folder of the final one.
    var temporary: String
    /// Whether the file has the temporary name already.
    var isNamed: Bool
  }

  /// Standard output, with a descriptor of its own.
  static func standardOutput() throws(Failure) -> OutputFile {
    do throws(Errno) {
      let descriptor = try retryingInterrupts { fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) }
      return OutputFile(name: "standard output", OwnedDescriptor(owning: descriptor))
    } catch {
      throw Failure("cannot write to standard output: \(error)")
    }
  }

  private init(name: String, _ descriptor: consuming OwnedDescriptor) {
    self.name = name
    isStandardOutput = true
    self.descriptor = descriptor
  }

  /// `namelessly`: the file has no name at first, where the file system can do that (`O_TMPFILE`).
  init(path: String, namelessly: Bool = true) throws(Failure) {
    name = path
    isStandardOutput = false
    var status = stat()
    let exists = stat(path, &status) == 0
    let reason = exists ? 0 : errno
    do throws(Errno) {
      // The kernel may refuse to follow a link, such as another user's in a folder for all. Then it is not followed here either.
      if !exists, reason != ENOENT { throw Errno(rawValue: reason) }
      switch exists ? status.st_mode & S_IFMT : S_IFREG {
      case S_IFREG:
        let final = Self.resolved(path)
        let (folder, temporary) = Self.places(beside: final)
        let nameless =
          namelessly ? try? OwnedDescriptor(path: folder, flags: Self.nameless, mode: 0o666) : nil
        pending = Pending(final: final, temporary: temporary, isNamed: nameless == nil)
        if let nameless {
          descriptor = nameless
        } else {
          descriptor = try OwnedDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
        }
        if exists { fchmod(descriptor.raw, status.st_mode & 0o777) }
      case S_IFDIR:
        throw Errno(rawValue: EISDIR)
      default:
        descriptor = try OwnedDescriptor(path: path, flags: O_WRONLY)
      }
    } catch {
      let inside = path.last == "/" ? path : path + "/"
      let hint =
        error.rawValue == EISDIR
        ? "; a file in it would be '\(inside)photo.jpg', those of a stream '\(inside)%06d.jpg'" : ""
      throw Failure("cannot write '\(path)': \(error)\(hint)")
    }
  }

  deinit {
    if let pending, pending.isNamed, FileIdentity.isName(pending.temporary, of: descriptor.raw) {
      unlink(pending.temporary)
    }
  }

  /// Writes the payload's pieces from their memory. Blocks. If standard output is a file, the file gets the whole payload or nothing.
  func write(_ payload: Payload) throws(Failure) {
    let end = isStandardOutput ? Self.end(of: descriptor) : nil
    let isOnDisk = pending != nil || end != nil
    if isOnDisk { UncutWork.begin() }
    defer { if isOnDisk { UncutWork.end() } }
    do throws(Errno) {
      try descriptor.write(payload)
    } catch {
      if error == .brokenPipe, isStandardOutput { throw .readerGone }
      if let end { ftruncate(descriptor.raw, end) }
      throw Failure("cannot write \(quotedName): \(error)")
    }
  }

  /// Gives the complete file its name. `durably`: it survives a power cut. Throws also where the file system says only now that it had no room.
  consuming func finish(durably: Bool) throws(Failure) {
    guard let pending else {
      if isStandardOutput { try requireTaken() }
      return
    }
    if !durably { try requireTaken() }
    UncutWork.begin()
    defer { UncutWork.end() }
    do throws(Errno) {
      if durably { _ = try retryingInterrupts { fsync(descriptor.raw) } }
      if !pending.isNamed {
        // A link cannot replace a file, so the last step is a rename in both cases.
        try link(to: pending.temporary)
        self.pending!.isNamed = true
      }
      _ = try retryingInterrupts { rename(pending.temporary, pending.final) }
      self.pending = nil
    } catch {
      throw Failure("cannot write \(quotedName): \(error)")
    }
  }

  /// Gives the complete file the name `path`. Returns `false` where a file has that name already; this one can then take another name.
  mutating func take(name path: String) throws(Failure) -> Bool {
    guard let pending else { return true }
    try requireTaken()
    UncutWork.begin()
    defer { UncutWork.end() }
    do throws(Errno) {
      if pending.isNamed {
        try renameReplacingNothing(pending.temporary, to: path)
      } else {
        try link(to: path)
      }
      self.pending = nil
      return true
    } catch {
      if error.rawValue == EEXIST { return false }
      throw Failure("cannot write '\(path)': \(error)")
    }
  }

  /// Throws where the file system did not take what was written. Some say so only when a descriptor of the file is closed, as NFS says that a quota is
  /// reached.
  func requireTaken() throws(Failure) {
    UncutWork.begin()
    defer { UncutWork.end() }
    let raw = descriptor.raw
    do throws(Errno) {
      try retrying { () throws(Errno) in
        let other = try retryingInterrupts { fcntl(raw, F_DUPFD_CLOEXEC, 3) }
        guard close(other) == 0 else { throw Errno.current }
      }
    } catch {
      throw Failure("cannot write \(quotedName): \(error)")
    }
  }

  /// The end of the regular file to which `descriptor` appends; `nil` for anything else.
  private static func end(of descriptor: borrowing OwnedDescriptor) -> off_t? {
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      lseek(descriptor.raw, 0, SEEK_CUR) == status.st_size
    else { return nil }
    return status.st_size
  }

  private func link(to path: String) throws(Errno) {
    let own = "/proc/self/fd/\(descriptor.raw)"
    _ = try retryingInterrupts { linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
  }

  private var quotedName: String { isStandardOutput ? name : "'\(name)'" }

  /// Follows symbolic links, so that the file to which they point is written, even if it does not exist yet.
  static func resolved(_ path: String) -> String {
    var path = path
    // Linux, too, follows 40 links at most.
    for _ in 0..<40 {
      guard let target = target(ofLink: path) else { break }
      let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
      path = target.hasPrefix("/") ? target : path[..<slash] + target
    }
    return path
  }

  private static func target(ofLink path: String) -> String? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let length = target.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return length > 0 ? String(decoding: target[..<length], as: UTF8.self) : nil
  }

  /// The folder of `path`, and the name ".name.1234.part" in it.
  private static func places(beside path: String) -> (folder: String, temporary: String) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = path[..<slash]
    return (folder.isEmpty ? "." : String(folder), "\(folder).\(path[slash...]).\(getpid()).part")
  }

  /// `O_WRONLY | O_TMPFILE`, a macro that Swift does not import.
  private static let nameless = O_WRONLY | O_DIRECTORY | 0o20000000
}
