import CaptureSystem
import Glibc

/// What goes out to the client.
extension ServerConnectionState {
  /// Whether something waits to be written.
  package var hasOutput: Bool { !outbox.isEmpty }
  /// How many bytes were written in all.
  package var bytesWritten: UInt64 { outbox.bytesWritten }
  /// How many bytes of packets without payload wait.
  package var waitingBytes: Int { outbox.controlCount }

  /// Gathers what is sent next and lets `body` write it; `body` returns how many bytes it wrote.
  package mutating func write(
    _ batch: inout WriteBatch, _ body: (UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  ) throws(Errno) -> Outbox.Written {
    try outbox.write(&batch, body)
  }

  /// Takes a call of which a message was written whole, once for each such message; `nil`: there is no more.
  package mutating func nextProgressed() -> UInt32? { outbox.progressed.popLast() }

  /// The frame that this call is sending; `nil`: it sends none.
  package func frame(of call: UInt32) -> Outbox.Frame? { outbox.frame(of: call) }

  /// Lets go of the payload of this call's packet in flight.
  package mutating func releasePartial(of call: UInt32) { outbox.releasePartial(of: call) }

  /// Drops everything; nothing will be written any more.
  package mutating func dropOutput() { outbox.clear() }
}
