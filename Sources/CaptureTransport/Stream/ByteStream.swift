import CaptureSystem
import Glibc

/// What is under a connection: a socket, or what stands between one and the connection (TLS, a test's faults).
///
/// Never blocks; `EAGAIN` says that it would. Confined to one loop.
package protocol ByteStream: AnyObject {
  /// Bytes read; 0: the peer sends no more.
  func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  /// Bytes taken, possibly fewer than there are.
  func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  /// Starts to watch. Both are called in turns of the loop: `readable` whenever there is something to read, again as long as there is;
  /// `writable` once after each ``awaitWritable()``.
  func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void)
  func awaitWritable()
  /// `writable` was called: it is not again before the next ``awaitWritable()``.
  func becameWritable()
  /// Stops and restarts the calls of `readable`.
  func setReading(_ isReading: Bool)
  /// Half close: what was written still arrives.
  func shutdownWriting()
  /// Ends both directions; nothing is called afterwards.
  func close()
}
