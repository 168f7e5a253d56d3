import Glibc

/// `CLOCK_MONOTONIC`, the clock of capture timestamps and of the wire.
public enum MonotonicClock {
  /// Nanoseconds since an arbitrary moment of this boot.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// The boot that the clock's values belong to (`/proc/sys/kernel/random/boot_id`), or "" where the kernel does not say.
  public static let bootID = (try? SmallFile.text(of: "/proc/sys/kernel/random/boot_id")) ?? ""
}
