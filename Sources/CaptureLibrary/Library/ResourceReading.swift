import CaptureModel
public import CaptureSystem
import Glibc

/// A resource that is being read.
public struct ResourceReading: Sendable {
  public let resource: StoredResource
  private let file: SharedDescriptor
  private let queue: WorkQueue

  init(_ file: SharedDescriptor, _ resource: StoredResource, on queue: WorkQueue) {
    (self.file, self.resource, self.queue) = (file, resource, queue)
  }

  /// The most bytes of a piece.
  public static let longest: Int64 = 1 << 20

  /// The bytes from an offset on, at most ``longest``. Throws `dataLoss` if the file ends before the last of them.
  public func bytes(at offset: Int64, count: Int64) async throws(CaptureError) -> Payload {
    try await read(at: offset, Int(min(count, Self.longest)))
  }

  /// All bytes. Throws as ``bytes(at:count:)`` does.
  public func whole() async throws(CaptureError) -> Payload { try await read(at: 0, Int(resource.bytes)) }

  private func read(at offset: Int64, _ count: Int) async throws(CaptureError) -> Payload {
    let file = file
    return try await queue.run { () throws(CaptureError) in
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 64)
      nonisolated(unsafe) let base = memory
      let payload = Payload(lending: UnsafeRawBufferPointer(rebasing: memory[..<count])) { base.deallocate() }
      var done = 0
      while done < count {
        let read: Int
        do throws(Errno) {
          read = try retryingInterrupts {
            pread(file.raw, memory.baseAddress! + done, count - done, off_t(offset) + off_t(done))
          }
        } catch {
          throw .libraryFileUnreadable("a picture", error)
        }
        guard read > 0 else {
          throw CaptureError(
            .dataLoss, "the file has become shorter: it ends at \(offset + Int64(done))",
            .init(.damagedPicture))
        }
        done += read
      }
      return payload
    }
  }
}
