import CaptureSystem
import Glibc

/// The stream below a connection: a socket, or a layer between a socket and the connection (TLS, a test's faults).
///
/// It never blocks; it throws `EAGAIN` where it would. Confined to one loop.
package protocol ByteStream: AnyObject {
  /// Returns the number of bytes read; 0: the peer sends no more.
  func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  /// Returns the number of bytes written, possibly fewer than there are.
  func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  /// Starts the watch. The loop calls both closures in its turns: `readable` whenever there is something to read, and again as long as there is;
  /// `writable` once after each ``awaitWritable()``.
  func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void)
  func awaitWritable()
  /// Notes that `writable` was called. The loop does not call it again before the next ``awaitWritable()``.
  func becameWritable()
  /// Stops and restarts calls of `readable`.
  func setReading(_ isReading: Bool)
  /// Closes the sending direction. Bytes that were written still arrive.
  func shutdownWriting()
  /// Closes both directions; no closure is called afterwards.
  func close()
  /// As ``close()``, but written bytes that the peer's machine has not acknowledged do not arrive any more.
  func reset()
  /// Whether nobody between the two ends can read the bytes.
  var isEncrypted: Bool { get }
  /// How many bytes have come that the reader did not get: the heads and tags of TLS records, and bytes that still wait.
  var overhead: Int { get }
}

extension ByteStream {
  package var isEncrypted: Bool { false }
  package var overhead: Int { 0 }
}
