import Glibc

/// The zone of a link-local IPv6 address (RFC 4007): the network interface at whose link the address is, by its name. It stands at the end of the host,
/// as in `fe80::1%eth0`.
extension SocketAddress {
  /// "fe80::1" and "eth0" for the host "fe80::1%eth0".
  package static func splitZone(_ host: String) -> (address: String, zone: String?) {
    guard let mark = host.firstIndex(of: "%") else { return (host, nil) }
    return (String(host[..<mark]), String(host[host.index(after: mark)...]))
  }

  /// Whether this is a link-local IPv6 address. Without its zone there is no connection to one.
  package var isLinkLocal: Bool {
    guard case .internet(let host, _, .v6) = self else { return false }
    var native = in6_addr()
    return inet_pton(AF_INET6, Self.splitZone(host).address, &native) == 1 && Self.hasLinkLocalPrefix(native)
  }

  /// Whether an address is in `fe80::/10`.
  package static func hasLinkLocalPrefix(_ native: in6_addr) -> Bool {
    withUnsafeBytes(of: native) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
  }

  /// Whether an interface can have this name.
  static func isInterfaceName(_ name: String) -> Bool {
    let excluded = [UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: ":")]
    return 1..<Int(IF_NAMESIZE) ~= name.utf8.count
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !excluded.contains($0) }
  }

  /// The index of a zone's interface. Throws `ENODEV` where this machine has no interface of that name.
  static func scope(ofZone zone: String) throws(Errno) -> UInt32 {
    let index = if_nametoindex(zone)
    guard index != 0 else { throw .noDevice }
    return index
  }

  /// "%eth0" for an address that has a zone, otherwise "".
  static func zoneText(_ native: sockaddr_in6) -> String {
    guard native.sin6_scope_id != 0, hasLinkLocalPrefix(native.sin6_addr) else { return "" }
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard if_indextoname(native.sin6_scope_id, &name) != nil else { return "" }
    return "%" + string(name)
  }
}
