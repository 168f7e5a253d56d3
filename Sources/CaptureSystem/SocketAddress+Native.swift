import CCaptureShims
import Glibc

extension SocketAddress {
  /// Calls `body` with the address as the kernel takes it. Returns `nil` for a name, which has to be resolved first. Throws `ENODEV` for a zone whose
  /// interface this machine does not have.
  package func withNative<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> R) throws(Errno)
    -> R?
  {
    switch self {
    case .internet(let host, let port, .v4):
      var native = sockaddr_in()
      native.sin_family = sa_family_t(AF_INET)
      native.sin_port = port.bigEndian
      inet_pton(AF_INET, host, &native.sin_addr)
      return try withGeneric(&native, body)
    case .internet(let host, let port, .v6):
      let (address, zone) = Self.splitZone(host)
      var native = sockaddr_in6()
      native.sin6_family = sa_family_t(AF_INET6)
      native.sin6_port = port.bigEndian
      inet_pton(AF_INET6, address, &native.sin6_addr)
      if let zone { native.sin6_scope_id = try Self.scope(ofZone: zone) }
      return try withGeneric(&native, body)
    case .unix(let path):
      var native = sockaddr_un()
      native.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &native.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
      return try withGeneric(&native, body)
    case .name:
      return nil
    }
  }

  private func withGeneric<T, R>(
    _ native: inout T, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> R
  ) throws(Errno) -> R {
    let result = withUnsafePointer(to: &native) { pointer -> Result<R, Errno> in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        do throws(Errno) {
          return .success(try body(generic, socklen_t(MemoryLayout<T>.size)))
        } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  /// Makes an address of what the kernel reports (`accept4`, `getsockname`). `nil` for an unknown address family.
  package init?(native: UnsafePointer<sockaddr_storage>) {
    let raw = UnsafeRawPointer(native)
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch Int32(native.pointee.ss_family) {
    case AF_INET:
      var address = raw.load(as: sockaddr_in.self)
      inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count))
      self = .internet(host: Self.string(text), port: UInt16(bigEndian: address.sin_port), family: .v4)
    case AF_INET6:
      var address = raw.load(as: sockaddr_in6.self)
      inet_ntop(AF_INET6, &address.sin6_addr, &text, socklen_t(text.count))
      self = .internet(
        host: Self.string(text) + Self.zoneText(address), port: UInt16(bigEndian: address.sin6_port),
        family: .v6)
    case AF_UNIX:
      let address = raw.load(as: sockaddr_un.self)
      let path = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
      self = .unix(path: String(decoding: path, as: UTF8.self))
    default:
      return nil
    }
  }

  static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
