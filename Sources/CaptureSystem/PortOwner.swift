import Glibc

/// Finds the process that listens on a TCP port of this machine. Other users' processes are known to root alone.
package enum PortOwner {
  /// The process, for a person: "nginx (process 812)"; `nil`: nobody listens there, or it is another user's process. A process that listens on an
  /// address other than loopback comes first, since a listener on loopback may belong to the node that wants the port.
  package static func name(of port: UInt16) -> String? {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap {
      try? SmallFile.bytes(of: $0, upTo: 64 << 20)
    }
    let sockets = tables.flatMap { listening(on: port, in: String(decoding: $0, as: UTF8.self)) }
    return sockets.first { !$0.isLoopback }.flatMap { owner(of: $0.inode) }
      ?? sockets.lazy.compactMap { owner(of: $0.inode) }.first
  }

  private static func owner(of inode: UInt64) -> String? {
    for process in names(in: "/proc") where process.allSatisfy(\.isNumber) {
      let folder = "/proc/\(process)/fd"
      for descriptor in names(in: folder) {
        guard target(of: "\(folder)/\(descriptor)") == "socket:[\(inode)]" else { continue }
        let name = (try? SmallFile.text(of: "/proc/\(process)/comm")) ?? "a program"
        return "\(name) (process \(process))"
      }
    }
    return nil
  }

  /// The sockets that listen on a port, in the text of /proc/net/tcp or tcp6 (proc_pid_net(5)).
  static func listening(on port: UInt16, in table: String) -> [(inode: UInt64, isLoopback: Bool)] {
    table.split(separator: "\n").dropFirst().compactMap { row in
      let fields = row.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[3] == "0A", let digits = fields[1].split(separator: ":").last,
        UInt16(digits, radix: 16) == port, let inode = UInt64(fields[9])
      else { return nil }
      // These are 127.0.0.1 and ::1, in words of 32 bits in this machine's byte order.
      let isLoopback =
        fields[1].hasPrefix("0100007F:") || fields[1].hasPrefix("00000000000000000000000001000000:")
      return (inode, isLoopback)
    }
  }

  private static func names(in folder: String) -> [String] {
    ((try? FolderNames.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
  }

  private static func target(of link: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = buffer.withUnsafeMutableBytes {
      readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), 256)
    }
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
