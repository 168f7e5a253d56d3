import CaptureSystem
import Glibc

/// How a connection came: facts that the peer cannot forge.
public struct Arrival: Hashable, Sendable {
  public enum Way: Hashable, Sendable {
    /// A Unix socket: the kernel knows the user and the groups (`SO_PEERCRED`, `SO_PEERGROUPS`).
    case unix(user: UInt32, groups: [UInt32])
    /// From this machine; nobody knows from whom.
    case loopback
    case network
  }

  public var way: Way
  /// The peer's address, for a person.
  public var peer: String
  public var isEncrypted = false
  /// The policy of the listener that accepted it.
  public var policy = ListenerPolicy()
  /// The number of that listener; `nil`: no listener accepted it.
  var listener: UInt64?
  /// The group of the Unix socket; `nil`: no Unix socket.
  public var socketGroup: UInt32?

  /// Whether the connection has to identify itself by a credential.
  var hasToProve: Bool {
    switch way {
    case .unix: false
    case .loopback: !policy.trustsLocalUsers
    case .network: true
    }
  }

  public init(way: Way, peer: String) { (self.way, self.peer) = (way, peer) }

  init(_ peer: SocketAddress, _ socket: Int32, name: String) {
    self.peer = name
    switch peer {
    case .unix, .name: way = Self.user(of: socket)
    case .internet: way = peer.isLocal ? .loopback : .network
    }
  }

  private static func user(of socket: Int32) -> Way {
    guard let peer = Sockets.peerCredentials(socket) else { return .loopback }
    var groups = [UInt32](repeating: 0, count: 1_024)
    var size = socklen_t(groups.count * MemoryLayout<UInt32>.size)
    let others = getsockopt(socket, SOL_SOCKET, peerGroups, &groups, &size) == 0
    let count = others ? Int(size) / MemoryLayout<UInt32>.size : 0
    return .unix(user: peer.user, groups: [peer.group] + groups.prefix(count))
  }

  /// `SO_PEERGROUPS`, which Glibc's module does not have.
  private static let peerGroups: Int32 = 59
}
