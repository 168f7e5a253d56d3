import CCaptureShims
import Glibc

/// The settings of glibc's malloc, and how much memory it holds.
public enum Heap {
  /// Makes malloc map large pieces of memory one by one, so that they go back to the kernel when they are freed, and lets all threads share two
  /// heaps. By default malloc makes a heap for every thread, and each heap keeps megabytes that frames once took. Call this before the process starts
  /// a thread. Corresponds to `mallopt(3)`.
  public static func returnWhatIsFreed() {
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    mallopt(M_ARENA_MAX, 2)
  }

  /// Gives every whole free page back to the kernel. This takes some milliseconds where much is free, and other threads that allocate wait meanwhile.
  /// Corresponds to `malloc_trim(3)`.
  static func trim() { malloc_trim(0) }

  /// Memory of this process, in bytes.
  struct Usage: Hashable, Sendable {
    /// The memory that malloc has handed out.
    var used: Int
    /// All other resident memory that belongs to no file: free memory that malloc keeps, and memory that does not come from malloc.
    var idle: Int
  }

  /// The process's memory now. This calls `mallinfo2(3)`, which visits all free pieces.
  static var usage: Usage {
    let fields = ((try? SmallFile.text(of: "/proc/self/statm")) ?? "").split(separator: " ")
    let (resident, shared) = fields.count > 2 ? (Int(fields[1]) ?? 0, Int(fields[2]) ?? 0) : (0, 0)
    let info = mallinfo2()
    let used = Int(info.uordblks) + Int(info.hblkhd)
    return Usage(used: used, idle: (resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE))) - used)
  }
}
