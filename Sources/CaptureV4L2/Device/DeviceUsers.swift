import Glibc

/// Which programs have a device node open (`/proc/*/fd`), as far as this process may see.
enum DeviceUsers {
  /// "ffmpeg (process 123)", or "another program".
  static func description(of path: String) -> String {
    for entry in names(in: "/proc") {
      guard let process = Int32(entry), process != getpid() else { continue }
      let descriptors = "/proc/\(process)/fd"
      guard names(in: descriptors).contains(where: { linkTarget("\(descriptors)/\($0)") == path }) else {
        continue
      }
      let command = contents("/proc/\(process)/comm") ?? "a program"
      return "\(command) (process \(process))"
    }
    return "another program"
  }
}
