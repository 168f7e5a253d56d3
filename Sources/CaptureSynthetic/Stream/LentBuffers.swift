import CaptureSystem
import Glibc
import Synchronization

/// The camera's few buffers, like a driver's: each frame has one until the frame's last reader lets go.
///
/// Unchecked: a buffer's bytes are written only between ``take()`` and ``lend(_:)``, by the caller that took it.
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

  /// Takes the buffer that was given back last, whose bytes are most likely in the cache. `nil`: readers hold all buffers.
  func take() -> Int? { free.withLock { $0.popLast() } }

  func base(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory[index] }

  /// The buffer as a payload. It becomes free again when its last reader lets go.
  func lend(_ index: Int) -> Payload {
    Payload(lending: UnsafeRawBufferPointer(start: memory[index], count: bytes)) {
      self.free.withLock { $0.append(index) }
    }
  }
}
