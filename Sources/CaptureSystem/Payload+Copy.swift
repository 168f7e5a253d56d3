import CCaptureShims
import Glibc

extension Payload {
  /// Copies the bytes into memory of `pool`, so that this payload can be released while the bytes wait for a reader. The copy goes past the
  /// processor's caches, since nobody reads it soon, or at all.
  package func copy(into pool: PayloadPool) -> Payload {
    let buffer = pool.take(count)
    var offset = 0
    for segment in segments where !segment.isEmpty {
      capture_copy_past_cache(buffer.base + offset, segment.baseAddress!, segment.count)
      offset += segment.count
    }
    return buffer.finish(count: offset)
  }
}
