import CaptureSystem
import Glibc

/// The resources that a process uses, seen from outside.
struct ProcessMeter {
  let pid: Int32
  private let clock: clockid_t

  /// A process of this machine. Throws `ESRCH` when there is none.
  init(_ pid: Int32) throws(Errno) {
    var clock = clockid_t()
    let failure = clock_getcpuclockid(pid, &clock)
    guard failure == 0 else { throw Errno(rawValue: failure) }
    self.pid = pid
    self.clock = clock
  }

  /// This process.
  static func own() throws(Errno) -> ProcessMeter { try ProcessMeter(getpid()) }

  /// Seconds of CPU, user and system, since the process began.
  var cpu: Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// The CPU time of each of `count` runs of `body`, in milliseconds. `warmUp`: how many runs come before these and do not count.
  func milliseconds(ofEach count: Int, warmUp: Int = 3, _ body: () throws -> Void) rethrows -> [Double] {
    for _ in 0..<warmUp { try body() }
    return try (0..<count).map { _ in
      let start = cpu
      try body()
      return (cpu - start) * 1e3
    }
  }

  /// A number of `/proc/PID/status`: "Threads", "VmRSS" (kB).
  func status(_ field: String) -> Double {
    guard let file = fopen("/proc/\(pid)/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while let text = fgets(&line, Int32(line.count), file) {
      let words = String(cString: text).split(whereSeparator: \.isWhitespace)
      if words.count > 1, words[0] == "\(field):" { return Double(words[1]) ?? 0 }
    }
    return 0
  }
}
