import CCaptureShims
import Glibc

/// What a process asks of glibc's malloc (`mallopt(3)`), before its first thread.
public enum Heap {
  /// Large pieces of memory are mapped one by one and go back to the kernel when they are freed, and all threads share two heaps. By
  /// itself malloc keeps megabytes that frames took, in a heap for every thread.
  public static func returnWhatIsFreed() {
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    mallopt(M_ARENA_MAX, 2)
  }

  /// Gives the kernel every whole page that is free. Takes some milliseconds where much is; other threads that allocate wait meanwhile.
  /// Corresponds to `malloc_trim(3)`.
  static func trim() { malloc_trim(0) }

  /// Memory of this process, bytes.
  struct Usage: Hashable, Sendable {
    /// Of malloc's, what is in use.
    var used: Int
    /// What is resident and no file's beside that: what malloc keeps though it is free, and all that comes from elsewhere.
    var idle: Int
  }

  /// Corresponds to `mallinfo2(3)`, which looks through all that is free.
  static var usage: Usage {
    let fields = ((try? SmallFile.text(of: "/proc/self/statm")) ?? "").split(separator: " ")
    let (resident, shared) = fields.count > 2 ? (Int(fields[1]) ?? 0, Int(fields[2]) ?? 0) : (0, 0)
    let info = mallinfo2()
    let used = Int(info.uordblks) + Int(info.hblkhd)
    return Usage(used: used, idle: (resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE))) - used)
  }
}
