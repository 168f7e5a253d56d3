import CaptureSystem
import Glibc

/// What goes out to the node.
extension ClientConnectionState {
  /// Whether something waits to be written.
  package var hasOutput: Bool { !outbox.isEmpty }

  /// Gathers what is sent next and lets `body` write it; `body` returns how many bytes it wrote.
  package mutating func write(
    _ batch: inout WriteBatch, _ body: (UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  ) throws(Errno) -> Outbox.Written {
    // After every write the connection tries all senders that wait, so it needs no list of calls that have room now.
    outbox.progressed.removeAll(keepingCapacity: true)
    return try outbox.write(&batch, body)
  }
}
