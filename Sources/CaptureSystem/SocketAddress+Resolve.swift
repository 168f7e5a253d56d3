import CCaptureShims
import Glibc

extension SocketAddress {
  /// Numeric addresses for this one: itself, or those that the resolver finds for its name. The resolver blocks: do not call this on shared queues.
  package func resolved() throws(SocketAddressError) -> [SocketAddress] {
    guard case .name(let host, let port) = self else { return [self] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      throw SocketAddressError(
        description: "cannot resolve '\(host)': \(String(cString: gai_strerror(status)))")
    }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      var storage = sockaddr_storage()
      withUnsafeMutableBytes(of: &storage) { target in
        target.copyMemory(from: UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
      }
      if let address = SocketAddress(native: &storage), !found.contains(address) { found.append(address) }
      next = entry.ai_next
    }
    guard !found.isEmpty else { throw SocketAddressError(description: "'\(host)' has no address") }
    return found
  }
}
