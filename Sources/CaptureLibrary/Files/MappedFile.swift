import CaptureSystem
import Glibc

/// A file's bytes, mapped for a while.
enum MappedFile {
  /// Calls `body` with the bytes of a file of `count` bytes, which nobody may make shorter meanwhile.
  static func with<R, E: Error>(
    _ descriptor: Int32, count: Int, failed: (Errno) -> E, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    guard count > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let base, base != MAP_FAILED else { throw failed(.current) }
    defer { munmap(base, count) }
    return try body(UnsafeRawBufferPointer(start: base, count: count))
  }
}
