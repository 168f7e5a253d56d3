import CaptureSystem
import Glibc

/// What goes out to the node.
extension ClientConnectionState {
  /// Whether something waits to be written.
  package var hasOutput: Bool { !outbox.isEmpty }
  /// How many bytes were written in all.
  package var bytesWritten: UInt64 { outbox.bytesWritten }

  /// Gathers what is sent next and lets `body` write it; `body` returns how many bytes it wrote. Returns whether it wrote all of them.
  package mutating func write(
    _ batch: WriteBatch, _ body: (UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  ) throws(Errno) -> Bool {
    // Senders that wait are told of every write.
    outbox.progressed.removeAll(keepingCapacity: true)
    return try outbox.write(batch, body)
  }
}
