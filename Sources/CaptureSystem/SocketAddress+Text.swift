import Glibc

/// An address that could not be read.
public struct SocketAddressError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

extension SocketAddress: CustomStringConvertible {
  /// The address in the form that `init(parsing:)` reads.
  public var description: String {
    switch self {
    case .internet(let host, let port, .v4): "\(host):\(port)"
    case .internet(let host, let port, .v6): "[\(host)]:\(port)"
    case .unix(let path): "unix:\(path)"
    case .name(let host, let port): "\(host):\(port)"
    }
  }

  /// Reads `HOST:PORT`, `[IPV6]:PORT`, `[IPV6%INTERFACE]:PORT` or `unix:PATH`. Without a port it takes the default one.
  public init(parsing text: String) throws(SocketAddressError) {
    func refuse(_ why: String) -> SocketAddressError {
      let length = text.utf8.count
      let shown = length > Self.longest ? "a text of \(length) bytes" : "'\(text)'"
      return SocketAddressError(
        description:
          "\(shown) is no address: \(why). Write 127.0.0.1:7311, [::1]:7311, a.host.name:7311 or unix:/path")
    }
    guard text.utf8.count <= Self.longest else {
      throw refuse("an address has at most \(Self.longest) bytes")
    }
    if let end = text.firstRange(of: "://")?.upperBound {
      throw refuse(
        "a node speaks a protocol of its own and has no URL; leave out '\(text[..<end])' and any path")
    }
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty else { throw refuse("the path is missing") }
      guard path.utf8.count < 108 else { throw refuse("a Unix socket's path has at most 107 bytes") }
      self = .unix(path: path)
      return
    }
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw refuse("']' is missing") }
      let host = String(text[text.index(after: text.startIndex)..<end])
      let (address, zone) = Self.splitZone(host)
      guard Self.isNumeric(address, AF_INET6) else { throw refuse("'\(host)' is no IPv6 address") }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw refuse("':PORT' has to follow ']'") }
      let port = rest.isEmpty ? Self.defaultPort : UInt16(rest.dropFirst())
      guard let port else { throw refuse("a port is a number from 0 to 65535") }
      self = .internet(host: host, port: port, family: .v6)
      guard let zone else { return }
      // The kernel ignores the zone of any other address, which would have several spellings.
      guard isLinkLocal, Self.isInterfaceName(zone) else {
        throw refuse("'%' stands between a link-local address and its interface, as in [fe80::1%eth0]")
      }
      return
    }
    if Self.isNumeric(Self.splitZone(text).address, AF_INET6) { throw refuse("put an IPv6 address into [ ]") }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first.map(String.init), !host.isEmpty else { throw refuse("the host is missing") }
    var port: UInt16? = Self.defaultPort
    if parts.count == 2 { port = UInt16(parts[1]) }
    guard let port else { throw refuse("a port is a number from 0 to 65535") }
    if Self.isNumeric(host, AF_INET) {
      self = .internet(host: host, port: port, family: .v4)
      return
    }
    let allowed = host.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
        || byte == 0x5F
    }
    guard allowed else { throw refuse("'\(host)' is no host name") }
    guard !host.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else {
      throw refuse("'\(host)' is no IPv4 address")
    }
    self = .name(host: host, port: port)
  }

  /// The longest text that is read, in bytes. A name in DNS has at most 253.
  private static let longest = 300

  private static func isNumeric(_ host: String, _ family: Int32) -> Bool {
    var bytes = in6_addr()
    return inet_pton(family, host, &bytes) == 1
  }

  /// Whether only this machine can reach the address: a Unix socket or a loopback address.
  public var isLocal: Bool {
    switch self {
    case .unix: true
    case .internet(let host, _, .v4): host.hasPrefix("127.")
    case .internet(let host, _, .v6):
      // The last is IPv4's loopback as IPv6 writes it.
      host == "::1" || host == "0:0:0:0:0:0:0:1" || host.lowercased().hasPrefix("::ffff:127.")
    case .name(let host, _): host == "localhost"
    }
  }
}
