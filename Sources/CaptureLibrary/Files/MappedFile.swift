import CaptureSystem
import Glibc

/// A file's bytes, mapped for a while.
enum MappedFile {
  /// Calls `body` with the bytes of a file of `count` bytes, which nobody may make shorter meanwhile. They are read from the disk before that: for a byte
  /// that the disk does not give to `body`, the kernel sends a signal (`SIGBUS`), which ends the process.
  static func with<R, E: Error>(
    _ descriptor: Int32, count: Int, failed: (Errno) -> E, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    guard count > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let base, base != MAP_FAILED else { throw failed(.current) }
    defer { munmap(base, count) }
    do throws(Errno) { try read(base, count) } catch { throw failed(error) }
    return try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Reads all bytes of a mapping from the disk. Linux before 5.14 cannot do that, and says `EINVAL`.
  private static func read(_ base: UnsafeMutableRawPointer, _ count: Int) throws(Errno) {
    do throws(Errno) {
      _ = try retryingInterrupts { madvise(base, count, MADV_POPULATE_READ) }
    } catch {
      // `EFAULT` stands for the signal.
      if error != .invalid { throw error.rawValue == EFAULT ? Errno.inputOutput : error }
    }
  }
}
