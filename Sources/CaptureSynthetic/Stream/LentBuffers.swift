import CaptureSystem
import Glibc
import Synchronization

/// The camera's few buffers, as a driver has them: a frame lends one until its last reader lets go.
///
/// Unchecked: a buffer's bytes are written only between ``take()`` and ``lend(_:)``, by the one who took it.
final class LentBuffers: @unchecked Sendable {
  private let memory: [UnsafeMutablePointer<UInt8>]
  private let bytes: Int
  private let free: Mutex<[Int]>

  init(count: Int, bytes: Int) {
    self.bytes = bytes
    memory = (0..<count).map { _ in
      PictureMemory.allocate(bytes).bindMemory(to: UInt8.self, capacity: bytes)
    }
    free = Mutex(Array((0..<count).reversed()))
  }

  deinit { for base in memory { PictureMemory.free(base, count: bytes) } }

  var count: Int { memory.count }
  var freeCount: Int { free.withLock { $0.count } }

  /// The buffer that was given back last: its bytes are the likeliest to be in the cache. `nil`: readers hold all of them.
  func take() -> Int? { free.withLock { $0.popLast() } }

  func base(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory[index] }

  /// The buffer as a payload; back among the free ones with its last reader.
  func lend(_ index: Int) -> Payload {
    Payload(lending: UnsafeRawBufferPointer(start: memory[index], count: bytes)) {
      self.free.withLock { $0.append(index) }
    }
  }
}
