import Glibc
import Synchronization

/// Keeps the memory of released payloads to use it again: the page faults of fresh memory cost more than writing a frame's bytes into it.
///
/// Keeps up to `keep` pieces with up to `bytes` bytes together; the rest goes back to the allocator. A piece is used again for a payload that fills
/// at least half of it.
public final class PayloadPool: Sendable {
  private struct Piece: @unchecked Sendable {  // The pool's list or one payload owns a piece, never both.
    var base: UnsafeMutableRawPointer
    var capacity: Int
  }
  private struct Free {
    var pieces: [Piece] = []
    var bytes = 0
  }
  private let free = Mutex(Free())
  private let keep: Int
  private let bytes: Int

  public init(keep: Int = 8, bytes: Int = .max) {
    self.keep = keep
    self.bytes = bytes
  }

  deinit {
    free.withLock { free in for piece in free.pieces { piece.base.deallocate() } }
  }

  /// Returns a piece of `capacity` bytes or more. ``PayloadBuffer/finish(count:)`` turns it into a payload.
  public func take(_ capacity: Int) -> PayloadBuffer {
    let reused = free.withLock { free -> Piece? in
      guard
        let index = free.pieces.lastIndex(where: {
          $0.capacity >= capacity && $0.capacity / 2 <= max(capacity, 4096)
        })
      else { return nil }
      free.bytes -= free.pieces[index].capacity
      return free.pieces.remove(at: index)
    }
    if let reused { return PayloadBuffer(pool: self, base: reused.base, capacity: reused.capacity) }
    // An eighth is added, since the encoded frames of one stream differ a little in size.
    let rounded = (capacity + capacity / 8 + 4095) & ~4095
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(rounded, 4096), alignment: 4096)
    return PayloadBuffer(pool: self, base: base, capacity: max(rounded, 4096))
  }

  fileprivate func giveBack(_ base: UnsafeMutableRawPointer, _ capacity: Int) {
    let piece = Piece(base: base, capacity: capacity)
    let dropped = free.withLock { free -> [Piece] in
      free.pieces.append(piece)
      free.bytes += capacity
      var dropped: [Piece] = []
      // One piece is kept, however long it is.
      while free.pieces.count > keep || (free.bytes > bytes && free.pieces.count > 1) {
        free.bytes -= free.pieces[0].capacity
        dropped.append(free.pieces.removeFirst())
      }
      return dropped
    }
    for piece in dropped { piece.base.deallocate() }
  }
}

/// Memory that is being filled. It becomes a ``Payload`` when it is complete, or goes back to its pool.
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

  /// Makes the first `count` bytes a payload, which nobody can change any more. The memory returns to the pool when the payload's last reader lets go
  /// of it.
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
