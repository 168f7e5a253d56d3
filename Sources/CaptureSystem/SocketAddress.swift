import CCaptureShims
import Glibc

/// Where a node listens or a client connects: `127.0.0.1:7311`, `[::1]:7311`, `host.name:7311`, `unix:/run/capture.sock`.
public enum SocketAddress: Hashable, Sendable {
  /// A numeric IPv4 or IPv6 address and a port; `port` 0 lets the kernel choose one when listening. A link-local address has its interface at its
  /// end, as in `fe80::1%eth0` (`sin6_scope_id`).
  case internet(host: String, port: UInt16, family: Family)
  /// A Unix-domain socket's path.
  case unix(path: String)
  /// A name that has to be resolved.
  case name(host: String, port: UInt16)

  /// The version of the internet protocol.
  public enum Family: Sendable {
    /// IPv4 or IPv6.
    case v4, v6
  }

  /// The port of a node whose configuration names none.
  public static let defaultPort: UInt16 = 7311
  /// The usual address of TCP on this machine: `127.0.0.1:7311`.
  public static let standard = SocketAddress.internet(host: "127.0.0.1", port: defaultPort, family: .v4)
  /// The socket of a node that root runs, or that Debian's package installs.
  package static let packagedSocket = "/run/capture-node/socket"
  /// The default paths of a node's socket: the machine's, and the user's (in `$XDG_RUNTIME_DIR`).
  package static var usualSockets: [String] {
    var paths = [packagedSocket]
    if let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), folder.hasPrefix("/") {
      paths.append(folder + "/capture-node/socket")
    }
    return paths
  }
  /// Where a client looks for this machine's node: `/run/capture-node/socket`, or `capture-node/socket` in `$XDG_RUNTIME_DIR` if only that is there.
  public static var onThisMachine: SocketAddress {
    .unix(path: usualSockets.first { access($0, F_OK) == 0 } ?? packagedSocket)
  }

  /// Whether it is a Unix socket that this process may not open.
  package var isForbidden: Bool {
    guard case .unix(let path) = self else { return false }
    return access(path, W_OK) != 0 && errno == EACCES
  }
}
