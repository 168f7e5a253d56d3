import CaptureSystem
import Glibc

/// A file being written. A regular file has no name until ``finish(durably:)``, so that nothing is left of it without that, not
/// even after a SIGKILL; where the file system knows no such files it has a temporary name. Devices and FIFOs are written
/// directly.
struct OutputFile: ~Copyable {
  /// As the person named it.
  private let name: String
  /// Whose reader may leave when it has enough.
  private let isStandardOutput: Bool
  private let descriptor: OwnedDescriptor
  /// `nil` where it is written directly.
  private var pending: Pending?

  private struct Pending {
    var final: String
    /// A name beside the final one.
    var temporary: String
    /// Whether the file has the temporary name already.
    var isNamed: Bool
  }

  /// Standard output, through a descriptor of its own.
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

  /// `namelessly`: where the file system can (`O_TMPFILE`).
  init(path: String, namelessly: Bool = true) throws(Failure) {
    name = path
    isStandardOutput = false
    var status = stat()
    let exists = stat(path, &status) == 0
    do throws(Errno) {
      switch exists ? status.st_mode & S_IFMT : S_IFREG {
      case S_IFREG:
        let final = exists ? Self.resolved(path) : path
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
    if let pending, pending.isNamed { unlink(pending.temporary) }
  }

  /// Writes the payload's pieces from where they lie. Blocks.
  func write(_ payload: Payload) throws(Failure) {
    do throws(Errno) {
      var pieces = payload.segments.filter { !$0.isEmpty }.map {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
      }
      while !pieces.isEmpty {
        var written = try retryingInterrupts { writev(descriptor.raw, pieces, Int32(pieces.count)) }
        while let first = pieces.first, written >= first.iov_len {
          written -= first.iov_len
          pieces.removeFirst()
        }
        if written > 0 {
          pieces[0].iov_base += written
          pieces[0].iov_len -= written
        }
      }
    } catch {
      if error == .brokenPipe, isStandardOutput { throw .readerGone }
      throw Failure("cannot write \(quotedName): \(error)")
    }
  }

  /// The file is whole: gives it its name. `durably`: it outlives a power cut.
  consuming func finish(durably: Bool) throws(Failure) {
    guard let pending else { return }
    do throws(Errno) {
      if durably { _ = try retryingInterrupts { fsync(descriptor.raw) } }
      if !pending.isNamed {
        // A link cannot replace a file, so the last step is a rename in both cases.
        let path = "/proc/self/fd/\(descriptor.raw)"
        _ = try retryingInterrupts {
          linkat(AT_FDCWD, path, AT_FDCWD, pending.temporary, AT_SYMLINK_FOLLOW)
        }
        self.pending!.isNamed = true
      }
      _ = try retryingInterrupts { rename(pending.temporary, pending.final) }
      self.pending = nil
    } catch {
      throw Failure("cannot write \(quotedName): \(error)")
    }
  }

  private var quotedName: String { isStandardOutput ? name : "'\(name)'" }

  /// Symbolic links followed, so that what they point to is replaced and not they.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The folder of `path`, and ".name.1234.part" in it.
  private static func places(beside path: String) -> (folder: String, temporary: String) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let folder = path[..<slash]
    return (folder.isEmpty ? "." : String(folder), "\(folder).\(path[slash...]).\(getpid()).part")
  }

  /// `O_WRONLY | O_TMPFILE`, a macro that Swift does not import.
  private static let nameless = O_WRONLY | O_DIRECTORY | 0o20000000
}
