import CaptureSystem
import Glibc

/// The party behind a connection, for limits that count all connections of one party: an IPv4 address, an IPv6 network (a host there has 2^64
/// addresses), or a user of a Unix socket.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ peer: SocketAddress, _ socket: Int32) {
    switch peer {
    case .internet(let host, _, .v6): description = Self.network(of: host) ?? host
    case .internet(let host, _, .v4): description = host
    case .unix, .name:
      description = Sockets.peerCredentials(socket).map { "Unix user \($0.user)" } ?? "Unix sockets"
    }
  }

  /// The network of an IPv6 address, which is its first 64 bits; `nil` for loopback and link-local addresses, whose first bits are all the same.
  static func network(of host: String) -> String? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, host, &address) == 1, !SocketAddress.hasLinkLocalPrefix(address) else {
      return nil
    }
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard bytes[..<8].contains(where: { $0 != 0 }) else { return nil }
      for index in 8..<16 { bytes[index] = 0 }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      inet_ntop(AF_INET6, bytes.baseAddress!, &text, socklen_t(text.count))
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/64"
    }
  }
}
