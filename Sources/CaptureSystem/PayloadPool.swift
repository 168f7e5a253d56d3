import Glibc
import Synchronization

/// Memory for payloads, used again: a frame's worth of fresh pages costs more than filling it.
///
/// Keeps up to `keep` released pieces; the rest goes back to the allocator. A piece serves any size that wastes at most half of it.
public final class PayloadPool: Sendable {
  private struct Piece: @unchecked Sendable {  // Owned by the pool's list or by one payload, never both.
    var base: UnsafeMutableRawPointer
    var capacity: Int
  }
  private let free = Mutex<[Piece]>([])
  private let keep: Int

  public init(keep: Int = 8) { self.keep = keep }

  deinit {
    free.withLock { pieces in for piece in pieces { piece.base.deallocate() } }
  }

  /// A piece of `capacity` bytes at least. Turn it into a payload with ``PayloadBuffer/finish(count:)``.
  public func take(_ capacity: Int) -> PayloadBuffer {
    let reused = free.withLock { pieces -> Piece? in
      guard
        let index = pieces.lastIndex(where: {
          $0.capacity >= capacity && $0.capacity / 2 <= max(capacity, 4096)
        })
      else { return nil }
      return pieces.remove(at: index)
    }
    if let reused { return PayloadBuffer(pool: self, base: reused.base, capacity: reused.capacity) }
    // Room to grow: encoded frames of one stream differ a little in size.
    let rounded = (capacity + capacity / 8 + 4095) & ~4095
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(rounded, 4096), alignment: 4096)
    return PayloadBuffer(pool: self, base: base, capacity: max(rounded, 4096))
  }

  fileprivate func giveBack(_ base: UnsafeMutableRawPointer, _ capacity: Int) {
    let piece = Piece(base: base, capacity: capacity)
    let dropped = free.withLock { pieces -> Piece? in
      pieces.append(piece)
      return pieces.count > keep ? pieces.removeFirst() : nil
    }
    dropped?.base.deallocate()
  }
}

/// Memory being filled; it becomes a ``Payload`` when it is whole, or goes back to its pool.
///
/// Unchecked: it has one owner, and the pointer is not shared while it lives.
public struct PayloadBuffer: ~Copyable, @unchecked Sendable {
  private let pool: PayloadPool
  /// Start of the memory.
  public let base: UnsafeMutableRawPointer
  /// Bytes that fit.
  public let capacity: Int
  private var isGivenAway = false

  fileprivate init(pool: PayloadPool, base: UnsafeMutableRawPointer, capacity: Int) {
    self.pool = pool
    self.base = base
    self.capacity = capacity
  }

  deinit {
    if !isGivenAway { pool.giveBack(base, capacity) }
  }

  /// All of the memory.
  public var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: capacity)
  }

  /// The first `count` bytes, from now on immutable; the memory returns to the pool with the payload's last reader.
  public consuming func finish(count: Int) -> Payload {
    precondition(count <= capacity)
    let (pool, capacity) = (self.pool, self.capacity)
    nonisolated(unsafe) let base = self.base
    isGivenAway = true
    return Payload(lending: UnsafeRawBufferPointer(start: base, count: count)) {
      pool.giveBack(base, capacity)
    }
  }
}
