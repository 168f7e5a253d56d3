import CCaptureShims
import Glibc

/// Where a node listens or a client connects: `127.0.0.1:7311`, `[::1]:7311`, `host.name:7311`, `unix:/run/capture.sock`.
public enum SocketAddress: Hashable, Sendable {
  /// A numeric IPv4 or IPv6 address and a port; `port` 0 lets the kernel choose one when listening.
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
  /// The address at which a node listens and a client looks by default: `127.0.0.1:7311`.
  public static let standard = SocketAddress.internet(host: "127.0.0.1", port: defaultPort, family: .v4)
}
