import Glibc

/// Finds another program that has a device open, under any path, as far as this process may look into `/proc/*/fd`.
enum DeviceUsers {
  /// "ffmpeg (process 123)", or "another program".
  static func description(of path: String) -> String {
    guard let device = deviceNumber(path) else { return "another program" }
    for entry in (try? names(in: "/proc")) ?? [] {
      guard let process = Int32(entry), process != getpid() else { continue }
      let descriptors = "/proc/\(process)/fd"
      let open = (try? names(in: descriptors)) ?? []
      guard open.contains(where: { deviceNumber("\(descriptors)/\($0)") == device }) else { continue }
      let command = (try? contents("/proc/\(process)/comm")) ?? "a program"
      return "\(command) (process \(process))"
    }
    return "another program"
  }
}
