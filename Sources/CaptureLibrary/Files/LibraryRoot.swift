import CCaptureShims
import CaptureModel
import CaptureSystem
import Glibc

/// The folder of a library. Everything in it is reached from its descriptor, never by its path, so that nothing is written below a mount point whose disk
/// has gone. A mark in it says that it is a library: a mount point without its disk has none.
public final class LibraryRoot: Sendable {
  public let path: String
  /// The library's identity: 32 random hexadecimal digits.
  public let id: String
  let descriptor: SharedDescriptor
  private let lock: SharedDescriptor
  private let place: Place
  private let disk: LibraryDisk

  private struct Place: Equatable {
    var device: dev_t
    var inode: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode) = (status.st_dev, status.st_ino)
    }
  }

  /// The folder of everything that is not a picture: the mark, the index, and the two folders below.
  package static let own = ".capture-library"
  /// The folder of files that are being written.
  static let incoming = own + "/incoming"
  /// The folder of files that were set aside.
  static let setAside = own + "/set-aside"
  static let markName = "library"
  private static let mark = own + "/" + markName
  static let header = "RemoteCapture library 1\n"

  /// Opens a library. Throws `unavailable` if the folder does not exist, is no library, or is used by another node.
  init(_ path: String, disk: LibraryDisk = .system) throws(CaptureError) {
    (self.path, self.disk) = (path, disk)
    do throws(Errno) {
      descriptor = SharedDescriptor(try OwnedDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY))
    } catch {
      throw .libraryUnavailable("'\(path)' cannot be opened: \(error)")
    }
    do throws(Errno) {
      id = try Self.identity(
        of: OwnedDescriptor(path: "/proc/self/fd/\(descriptor.raw)/\(Self.mark)", flags: O_RDONLY))
    } catch {
      throw .libraryUnavailable(
        error.rawValue == ENOENT
          ? "'\(path)' is no library; its disk may not be mounted. A new one is made by: sudo capture-node library init \(path)"
          : "the mark of '\(path)' cannot be read: \(error)")
    }
    do throws(Errno) {
      let lock = try OwnedDescriptor(
        path: "/proc/self/fd/\(descriptor.raw)/\(Self.own)/lock", flags: O_RDWR | O_CREAT, mode: 0o640)
      guard try lock.acquireLock() else { throw Errno.busy }
      self.lock = SharedDescriptor(lock)
      for folder in [Self.incoming, Self.setAside] {
        if mkdirat(descriptor.raw, folder, 0o750) != 0, errno != EEXIST { throw Errno.current }
      }
    } catch {
      throw .libraryUnavailable(
        error.rawValue == EBUSY
          ? "another node uses '\(path)'" : "'\(path)' cannot be written: \(error)")
    }
    guard let place = Place(path) else { throw .libraryUnavailable("'\(path)' is not there") }
    self.place = place
  }

  /// Reads the identity from the open mark.
  static func identity(of mark: borrowing OwnedDescriptor) throws(Errno) -> String {
    let text = String(decoding: try SmallFile.bytes(from: mark.raw, upTo: 1 << 16), as: UTF8.self).trimmed
    guard text.hasPrefix(header), text.utf8.count == header.utf8.count + 32 else { throw .noEntry }
    return String(text.dropFirst(header.count))
  }

  /// The path of the index, through the descriptor: SQLite opens further files beside it by that path.
  var indexPath: String { "/proc/self/fd/\(descriptor.raw)/\(Self.own)/index.sqlite" }

  /// Lets the library be opened anew, though somebody still has this root.
  func unlock() { flock(lock.raw, LOCK_UN) }

  /// Throws `unavailable` if the root's path leads to another folder by now, or to none.
  func requireMounted() throws(CaptureError) {
    guard Place(path) == place else {
      throw .libraryUnavailable("'\(path)' is no longer the same folder; its disk may have been unmounted")
    }
  }

  /// The bytes of the file system that are free for the node.
  func free() throws(CaptureError) -> Int64 {
    do throws(Errno) { return try disk.free(descriptor.raw) } catch {
      throw .library("'\(path)' cannot be asked for its free space", error)
    }
  }

  /// Opens a folder below the root, for a moment. No link is followed on the way. `makes`: whether missing folders are made, durably.
  func folder(_ parts: [String], makes: Bool = false) throws(Errno) -> OwnedDescriptor {
    // On the way a folder is open beside the one before it. Pictures that are kept and fetched leave room for that, so that with as many of them as there
    // may be, others can still be given their names, and be deleted.
    try DescriptorReserve.streams.taking(2) { () throws(Errno) -> OwnedDescriptor in
      try walk(to: parts, makes: makes)
    }
  }

  private func walk(to parts: [String], makes: Bool) throws(Errno) -> OwnedDescriptor {
    var folder = OwnedDescriptor(owning: try retryingInterrupts { fcntl(descriptor.raw, F_DUPFD_CLOEXEC, 3) })
    for part in parts {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
      var next = openat(folder.raw, part, flags)
      if next < 0, errno == ENOENT, makes {
        if mkdirat(folder.raw, part, 0o750) != 0, errno != EEXIST { throw Errno.current }
        _ = try retryingInterrupts { fsync(folder.raw) }
        next = openat(folder.raw, part, flags)
      }
      guard next >= 0 else { throw Errno.current }
      folder = OwnedDescriptor(owning: next)
    }
    return folder
  }

  /// Opens a resource's file to read it.
  func open(_ id: AssetID, _ place: Int, _ type: ResourceType) throws(Errno) -> SharedDescriptor {
    let folder = try folder(id.folder)
    let file = try DescriptorReserve.files.descriptor {
      openat(folder.raw, id.file(place, type), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    }
    return SharedDescriptor(file)
  }

  /// Removes a file by its path below the root, if it is there.
  func remove(_ path: String) throws(Errno) { _ = try removeCounting(path) }

  /// Removes a file by its path below the root, if it is there. Returns its bytes.
  private func removeCounting(_ path: String) throws(Errno) -> Int64 {
    var parts = path.split(separator: "/").map(String.init)
    let name = parts.removeLast()
    do throws(Errno) {
      let folder = try folder(parts)
      var status = stat()
      let bytes = fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int64(status.st_size) : 0
      _ = try retryingInterrupts { unlinkat(folder.raw, name, 0) }
      return bytes
    } catch {
      if error.rawValue != ENOENT { throw error }
      return 0
    }
  }

  /// Removes files by their paths below the root, as far as they are there. Once this returns they do not come back after a power cut. `makesRoom`:
  /// whether this waits for a file system that gives their space back later, and returns what has become free.
  func removeDurably(_ paths: [String], makesRoom: Bool) throws(Errno) -> ReturnedSpace? {
    let before = makesRoom ? try disk.free(descriptor.raw) : nil
    var removed: Int64 = 0
    for path in paths { removed += try removeCounting(path) }
    for parent in Set(paths.map { SmallFile.folder(of: $0) }) {
      do throws(Errno) {
        let folder = try folder(parent.split(separator: "/").map(String.init))
        _ = try retryingInterrupts { fsync(folder.raw) }
      } catch {
        if error.rawValue != ENOENT { throw error }
      }
    }
    guard let before else { return nil }
    var space = ReturnedSpace(removed: removed, before: before, free: try disk.free(descriptor.raw))
    if !space.isReturned {
      disk.sync(descriptor.raw)
      space.free = try disk.free(descriptor.raw)
    }
    return space
  }

  /// Sets an incomplete file aside.
  func setAside(_ name: String, ofDay day: String) throws(Errno) {
    let folder = try folder(AssetID.folder(ofDay: day))
    let aside = try self.folder(Self.setAside.split(separator: "/").map(String.init))
    _ = try retryingInterrupts { renameat(folder.raw, name, aside.raw, name) }
  }
}
