import CaptureSystem
import Glibc
import Testing

/// A listening socket at a free port of 127.0.0.1. Who made it closes it.
struct LoopbackListener {
  let descriptor: Int32
  let port: UInt16
  var address: SocketAddress { .internet(host: "127.0.0.1", port: port, family: .v4) }

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var local = sockaddr_in()
    local.sin_family = sa_family_t(AF_INET)
    local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &local) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, name, &length) == 0
      }
    }
    try #require(isBound)
    (self.descriptor, port) = (descriptor, UInt16(bigEndian: local.sin_port))
  }
}
