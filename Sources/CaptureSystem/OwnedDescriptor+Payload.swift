import Glibc

extension OwnedDescriptor {
  /// Writes all of the payload's pieces from their memory. Blocks. Bytes that were written before an error stay.
  package func write(_ payload: Payload) throws(Errno) {
    var pieces = payload.segments.filter { !$0.isEmpty }.map {
      iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
    }
    while !pieces.isEmpty {
      var written = try retryingInterrupts { writev(raw, pieces, Int32(pieces.count)) }
      while let first = pieces.first, written >= first.iov_len {
        written -= first.iov_len
        pieces.removeFirst()
      }
      if written > 0 {
        pieces[0].iov_base += written
        pieces[0].iov_len -= written
      }
    }
  }
}
