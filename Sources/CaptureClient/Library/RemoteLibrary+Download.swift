public import CaptureModel
internal import CaptureSystem
internal import Glibc

extension RemoteLibrary {
  /// Downloads a resource into a file. The received bytes are in a file that is named `path` with ".part" behind it; a download that was cut goes on
  /// there. The file gets the name `path` when all of it is on the disk and has the node's checksum.
  ///
  /// `progress` is called with how many bytes are there, and how many there will be. Throws `dataLoss` where the bytes are not those that the node
  /// has.
  public func download(
    _ asset: LibraryAsset, resource place: Int = 0, to path: String,
    progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) async throws(CaptureError) {
    guard asset.resources.indices.contains(place) else {
      throw CaptureError(
        .invalidArgument, "\(asset.id) has \(asset.resources.count) resources; there is no number \(place)",
        .init(.valueOutOfRange, field: "resource", asked: .number(Double(place))))
    }
    let part = path + ".part"
    let file = try PartialFile(part)
    let total = asset.resources[place].bytes
    // A file that is longer than the resource has bytes of another one.
    if file.count > total { try file.clear() }
    do throws(CaptureError) {
      try await download(asset.id, place, total, into: file, progress)
    } catch {
      // The bytes that were in the file at first may be of another resource, so the download begins anew, once.
      guard error.details?.reason == .checksumMismatch, file.initialCount > 0 else { throw error }
      try file.clear()
      try await download(asset.id, place, total, into: file, progress)
    }
    try file.finish(as: path)
  }

  private func download(
    _ id: String, _ place: Int, _ total: UInt64, into file: PartialFile, _ progress: (UInt64, UInt64) -> Void
  ) async throws(CaptureError) {
    let resource = try await read(id, resource: place, from: file.count) { bytes throws(CaptureError) in
      try file.append(bytes)
      progress(file.count, total)
    }
    guard file.count == resource.bytes, file.checksum() == resource.sha256 else {
      throw CaptureError(
        .dataLoss, "the received bytes of \(id) do not have the node's checksum",
        .init(.checksumMismatch, field: "resource.sha256"))
    }
  }
}

/// The file of a download, with the checksum of its bytes so far.
private final class PartialFile {
  private let path: String
  private let descriptor: SharedDescriptor
  private var hash: SHA256
  private(set) var count: UInt64
  /// How many bytes the file had when it was opened.
  let initialCount: UInt64

  init(_ path: String) throws(CaptureError) {
    let (hash, there): (SHA256, UInt64)
    do throws(Errno) {
      let file = SharedDescriptor(
        try OwnedDescriptor(path: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o644))
      (hash, there) = try Self.read(file)
      descriptor = file
    } catch {
      throw .unwritten(path, error)
    }
    (self.path, self.hash, count, initialCount) = (path, hash, there, there)
  }

  /// Reads all of a file: its checksum so far, and its length.
  private static func read(_ file: SharedDescriptor) throws(Errno) -> (SHA256, UInt64) {
    let hash = SHA256()
    var length: UInt64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = try retryingInterrupts { Glibc.read(file.raw, &buffer, buffer.count) }
      if count == 0 { return (hash, length) }
      buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      length += UInt64(count)
    }
  }

  func append(_ payload: Payload) throws(CaptureError) {
    do throws(Errno) {
      for segment in payload.segments {
        var rest = segment[...]
        while !rest.isEmpty {
          let piece = UnsafeRawBufferPointer(rebasing: rest)
          rest = rest.dropFirst(
            try retryingInterrupts { Glibc.write(descriptor.raw, piece.baseAddress, piece.count) })
        }
      }
    } catch {
      throw .unwritten(path, error)
    }
    hash.update(payload)
    count += UInt64(payload.count)
  }

  func checksum() -> [UInt8] { hash.finish() }

  /// Empties the file.
  func clear() throws(CaptureError) {
    guard ftruncate(descriptor.raw, 0) == 0, lseek(descriptor.raw, 0, SEEK_SET) == 0 else {
      throw .unwritten(path, .current)
    }
    (hash, count) = (SHA256(), 0)
  }

  func finish(as name: String) throws(CaptureError) {
    do throws(Errno) {
      _ = try retryingInterrupts { fsync(descriptor.raw) }
      _ = try retryingInterrupts { rename(path, name) }
    } catch {
      throw .unwritten(name, error)
    }
  }
}
