import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc

/// A resource's file while it is written. It has a temporary name until it is whole and on the disk; if it never gets its final name, it is removed.
/// Its owner, the node's user, may write it, and its group may read it. The group is the library folder's where that folder is setgid.
actor IncomingFile {
  private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The properties of a file that is whole.
  struct Facts: Sendable {
    var bytes: Int64
    var sha256: [UInt8]
    var examination: LibraryImaging.Examination
  }

  let type: ResourceType
  private let root: LibraryRoot
  private let name: String
  private let hash = SHA256()
  private var descriptor: SharedDescriptor?
  private var bytes: Int64 = 0
  private var isPlaced = false

  /// `executor`: the queue on which files are written, one after the other.
  init(_ type: ResourceType, in root: LibraryRoot, on executor: QueueExecutor) {
    (self.type, self.root, self.executor) = (type, root, executor)
    name = "\(LibraryRoot.incoming)/\(UInt64.random(in: 0 ... .max)).\(type.fileExtension)"
  }

  deinit { if !isPlaced { unlinkat(root.descriptor.raw, name, 0) } }

  func append(_ payload: Payload) throws(CaptureError) {
    hash.update(payload)
    do throws(Errno) {
      if descriptor == nil {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try DescriptorReserve.files.descriptor {
          openat(root.descriptor.raw, name, flags, 0o640)
        }
        descriptor = SharedDescriptor(file)
      }
      try payload.write(to: descriptor!.raw)
    } catch {
      throw .library("a picture cannot be written", error)
    }
    bytes += Int64(payload.count)
  }

  /// Returns the file's properties, once it is on the disk. Throws `invalidArgument` if the file has no bytes, or is not a whole picture of its type.
  func finish(_ imaging: LibraryImaging) throws(CaptureError) -> Facts {
    guard let descriptor else {
      throw CaptureError(
        .invalidArgument, "the resource has no bytes", .init(.contentMismatch, field: "resource.bytes"))
    }
    let type = type
    let examination = try MappedFile.with(
      descriptor.raw, count: Int(bytes), failed: { CaptureError.library("a picture cannot be read", $0) }
    ) { bytes throws(CaptureError) in try imaging.examine(bytes, type) }
    do throws(Errno) {
      _ = try retryingInterrupts { fsync(descriptor.raw) }
    } catch {
      throw .library("a picture cannot be written", error)
    }
    return Facts(bytes: bytes, sha256: hash.finish(), examination: examination)
  }

  /// Gives the file its final name. It is durable when this returns.
  func place(as id: AssetID, _ place: Int) throws(CaptureError) {
    do throws(Errno) {
      let folder = try root.folder(id.folder, makes: true)
      _ = try retryingInterrupts {
        renameat(root.descriptor.raw, name, folder.raw, id.file(place, type))
      }
      isPlaced = true
      _ = try retryingInterrupts { fsync(folder.raw) }
    } catch {
      if isPlaced { try? root.remove(id.path(place, type)) }
      throw .library("a picture cannot be given its name", error)
    }
    descriptor = nil
  }
}

extension Payload {
  /// Writes all bytes. Blocks.
  fileprivate func write(to descriptor: Int32) throws(Errno) {
    for segment in segments {
      var rest = segment[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = try retryingInterrupts { Glibc.write(descriptor, piece.baseAddress, piece.count) }
        rest = rest.dropFirst(count)
      }
    }
  }
}
