import CCaptureShims

/// What a process asks of glibc's malloc (`mallopt(3)`), before its first thread.
public enum Heap {
  /// Large pieces of memory are mapped one by one and go back to the kernel when they are freed, and all threads share two heaps. By
  /// itself malloc keeps megabytes that frames took, in a heap for every thread.
  public static func returnWhatIsFreed() {
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    mallopt(M_ARENA_MAX, 2)
  }
}
