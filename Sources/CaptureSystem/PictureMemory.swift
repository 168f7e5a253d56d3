import Glibc

/// Zeroed memory for pictures. Large pieces come straight from the kernel, in its huge pages where it has some, since a page fault for every 4 KiB
/// costs more than filling the memory does.
package enum PictureMemory {
  private static let hugePage = 2 << 20

  /// How many bytes to map for `count` bytes: at least one huge page. `nil`: `count` is less than half a huge page, so the memory comes from the
  /// allocator.
  private static func mappedBytes(_ count: Int) -> Int? {
    count >= hugePage / 2 ? max(count, hugePage) : nil
  }

  /// Allocates `count` bytes, 64-byte aligned, all zero. Give them to ``free(_:count:)`` with the same count.
  package static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    guard let count = mappedBytes(count) else {
      let base = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64)
      memset(base, 0, count)
      return base
    }
    // The kernel does not align a mapping for its huge pages. So this maps one huge page too many, and gives back what lies before and behind the
    // aligned part.
    let mapped = mmap(nil, count + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    precondition(mapped != MAP_FAILED, "no memory for a picture of \(count) bytes")
    let base = mapped.alignedUp(toMultipleOf: hugePage)
    let end = (base + count).alignedUp(toMultipleOf: Int(getpagesize()))
    if base > mapped { munmap(mapped, base - mapped) }
    munmap(end, mapped + count + hugePage - end)
    madvise(base, count, MADV_HUGEPAGE)
    return base
  }

  package static func free(_ base: UnsafeMutableRawPointer, count: Int) {
    if let count = mappedBytes(count) { munmap(base, count) } else { base.deallocate() }
  }
}
