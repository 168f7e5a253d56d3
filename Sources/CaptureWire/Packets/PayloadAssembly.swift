import CaptureSystem
import Glibc

/// A payload that is being received: its memory, and how much of it has come. The memory is taken with the first byte, not with the announcement.
package final class PayloadAssembly {
  package let callID: UInt32
  /// The message that the payload belongs to.
  let body: [UInt8]
  /// Whether it is the sender's last message.
  let isLast: Bool
  package let length: Int
  package private(set) var filled = 0
  private var buffer: PayloadBuffer?
  private var base: UnsafeMutableRawPointer?
  private let pool: PayloadPool

  init(callID: UInt32, body: [UInt8], isLast: Bool, length: Int, pool: PayloadPool) {
    self.callID = callID
    self.body = body
    self.isLast = isLast
    self.length = length
    self.pool = pool
  }

  package var remaining: Int { length - filled }

  /// Where the next bytes belong. The caller writes at most `remaining` bytes there, and then reports how many (``fill(_:)``).
  package func target() -> UnsafeMutableRawBufferPointer {
    if base == nil {
      let taken = pool.take(length)
      base = taken.base
      buffer = consume taken
    }
    return UnsafeMutableRawBufferPointer(start: base! + filled, count: remaining)
  }

  /// Notes that `count` bytes were written at ``target()``.
  package func fill(_ count: Int) {
    precondition(count <= remaining)
    filled += count
  }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    memcpy(target().baseAddress!, base, bytes.count)
    fill(bytes.count)
  }

  /// The message, once it is complete.
  func finish() -> RawMessage {
    precondition(remaining == 0)
    guard let buffer = buffer.take() else { return RawMessage(body: body, payload: nil) }
    return RawMessage(body: body, payload: buffer.finish(count: length))
  }
}
