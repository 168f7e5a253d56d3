import CaptureSystem
import Glibc

/// The addresses at which other machines may reach this machine, as far as it can find out.
enum HostAddresses {
  /// Global addresses of interfaces that are up, IPv4 first, without bridges that programs make for containers and virtual machines.
  static func found() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var (v4, v6): ([String], [String]) = ([], [])
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard let native = entry.ifa_addr, isUsable(entry), !isOfContainers(String(cString: entry.ifa_name))
      else {
        continue
      }
      var storage = sockaddr_storage()
      let isV4 = Int32(native.pointee.sa_family) == AF_INET
      let size = isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
      guard isV4 || Int32(native.pointee.sa_family) == AF_INET6 else { continue }
      withUnsafeMutableBytes(of: &storage) {
        $0.copyMemory(from: UnsafeRawBufferPointer(start: native, count: size))
      }
      guard case .internet(let host, _, _)? = SocketAddress(native: &storage) else { continue }
      if isV4, !host.hasPrefix("169.254.") { v4.append(host) }
      if !isV4, !["fe8", "fe9", "fea", "feb"].contains(where: host.hasPrefix) { v6.append(host) }
    }
    return v4 + v6
  }

  private static func isUsable(_ entry: ifaddrs) -> Bool {
    let flags = Int(entry.ifa_flags)
    return flags & Int(IFF_UP) != 0 && flags & Int(IFF_LOOPBACK) == 0
  }

  private static func isOfContainers(_ name: String) -> Bool {
    ["docker", "br-", "virbr", "podman", "cni", "lxcbr", "lxdbr"].contains(where: name.hasPrefix)
  }
}
