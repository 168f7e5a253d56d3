import CCaptureShims
import CaptureSystem
import Glibc

/// Makes and configures sockets: non-blocking, closed on exec, without Nagle's delay.
enum Sockets {
  /// Corresponds to `socket(2)`.
  static func make(for address: SocketAddress) throws(Errno) -> OwnedDescriptor {
    let family: Int32
    switch address {
    case .internet(_, _, .v4): family = AF_INET
    case .internet(_, _, .v6): family = AF_INET6
    case .unix: family = AF_UNIX
    case .name: throw .invalid
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return OwnedDescriptor(owning: try retryingInterrupts { socket(family, type, 0) })
  }

  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(Errno) {
    var value = value
    _ = try retryingInterrupts {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Sets the options of every TCP connection. It does nothing for a Unix socket, which has none of them.
  static func tune(_ descriptor: Int32, _ peer: SocketAddress) throws(Errno) {
    if case .unix = peer { return }
    try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    try setUnsentWindow(descriptor, UnsentWindow(to: peer).bytes)
  }

  /// Sets how many bytes the kernel holds unsent before it reports that a socket is not writable.
  static func setUnsentWindow(_ descriptor: Int32, _ bytes: Int) throws(Errno) {
    try set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, Int32(bytes))
  }

  /// The user and the group at the other end of a Unix socket; `nil`: the kernel does not know them. Corresponds to `SO_PEERCRED`.
  static func peerCredentials(_ descriptor: Int32) -> (user: UInt32, group: UInt32)? {
    var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return (credentials.user, credentials.group)
  }

  /// Corresponds to `getsockname(2)`.
  static func localAddress(_ descriptor: Int32) throws(Errno) -> SocketAddress? {
    try address { pointer, size in getsockname(descriptor, pointer, size) }.0
  }

  /// Accepts the next connection, and returns its peer's address. Corresponds to `accept4(2)`.
  static func accept(_ descriptor: Int32) throws(Errno) -> (raw: Int32, peer: SocketAddress) {
    let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let (peer, raw) = try address { capture_accept(descriptor, $0, $1, flags) }
    return (raw, peer ?? .unix(path: ""))
  }

  private static func address(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(Errno) -> (SocketAddress?, Int32) {
    var storage = sockaddr_storage()
    let status = try retryingInterrupts { () -> Int32 in
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      return withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
      }
    }
    return (SocketAddress(native: &storage), status)
  }

  /// The pending error of a connection. Corresponds to `SO_ERROR`.
  static func pendingError(_ descriptor: Int32) -> Errno? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &size) == 0 else { return .current }
    return value == 0 ? nil : Errno(rawValue: value)
  }

  /// How many bytes the peer's machine has not acknowledged; 1 where the kernel does not say. Corresponds to `SIOCOUTQ`.
  static func unacknowledged(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    return capture_ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 1
  }

  /// Starts to connect. Returns `false` where that takes time; the socket becomes writable when it has connected or failed.
  static func connect(_ descriptor: Int32, to address: SocketAddress) throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try address.withNative { (pointer, size) throws(Errno) in
        if Glibc.connect(descriptor, pointer, size) != 0 { throw Errno.current }
      }
      return true
    } catch {
      // The kernel continues a connect that a signal interrupted.
      if error.rawValue == EINPROGRESS || error == .interrupted { return false }
      throw error
    }
  }
}
