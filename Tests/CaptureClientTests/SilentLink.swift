import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// The way of one connection from a client to a node. It can fall silent: what is sent is lost then, and neither end is told.
final class SilentLink: Sendable {
  /// Where the client connects.
  let address: SocketAddress
  private let isSilent = Atomic(false)

  init(to node: SocketAddress) throws {
    let listener = try LoopbackListener()
    address = listener.address
    let (near, far) = (listener.descriptor, socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    _ = try node.withNative { (pointer, size) throws(Errno) in
      if connect(far, pointer, size) != 0 { throw Errno.current }
    }
    DispatchQueue(label: "link").async { [self] in
      let client = accept(near, nil, nil)
      close(near)
      guard client >= 0 else {
        close(far)
        return
      }
      let both = DispatchGroup()
      for (source, target) in [(client, far), (far, client)] {
        DispatchQueue(label: "link's way").async(group: both) { [self] in pass(source, to: target) }
      }
      both.wait()
      close(client)
      close(far)
    }
  }

  /// From now on nothing arrives.
  func silence() { isSilent.store(true, ordering: .relaxed) }

  /// Passes bytes on until an end closes.
  private func pass(_ source: Int32, to target: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      if !isSilent.load(ordering: .relaxed) { _ = send(target, buffer, count, Int32(MSG_NOSIGNAL)) }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }
}
