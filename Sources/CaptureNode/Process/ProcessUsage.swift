import CaptureSystem
import Glibc

/// The resources that this process uses (`/proc/self`).
struct ProcessUsage {
  /// Open file descriptors, without the one that counts them.
  var descriptors = 0
  /// `RLIMIT_NOFILE`.
  var descriptorsLimit: UInt64 = 0
  var residentBytes: UInt64 = 0
  var threads = 0
  /// User and system time since the start, ns.
  var cpuTime: UInt64 = 0

  init() {
    if let names = try? FolderNames.names(in: "/proc/self/fd") { descriptors = names.count - 1 }
    descriptorsLimit = DescriptorLimit.current
    // statm: pages in all, resident, …; stat: "pid (name) state …", where the 18th field behind the name's ')' is the number of threads.
    let pages = ((try? SmallFile.text(of: "/proc/self/statm")) ?? "").split(separator: " ")
    if pages.count > 1 { residentBytes = (UInt64(pages[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE))) }
    let stat = (try? SmallFile.text(of: "/proc/self/stat")) ?? ""
    if let end = stat.lastIndex(of: ")") {
      let fields = stat[end...].split(separator: " ")
      if fields.count > 18 { threads = Int(fields[18]) ?? 0 }
    }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    cpuTime = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The machine and its kernel (`uname(2)`).
struct SystemName {
  var host = ""
  /// "Linux 6.1.0-…"
  var kernel = ""
  var machine = ""

  init() {
    var name = utsname()
    guard uname(&name) == 0 else { return }
    host = Self.text(&name.nodename)
    kernel = Self.text(&name.sysname) + " " + Self.text(&name.release)
    machine = Self.text(&name.machine)
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
