import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// Reports the service's state to systemd (`sd_notify(3)`): one datagram to `$NOTIFY_SOCKET`, or none where that is not set.
///
/// The datagrams leave from a thread of their own, in their order: systemd may be slow to take them, and nothing else waits for that.
enum ServiceNotifier {
  private static let thread = DispatchQueue(label: "capture.notify")
  private static let news = Mutex(ServiceNews())

  /// Whether `$NOTIFY_SOCKET` names a socket.
  static var isHeard: Bool { path != nil }

  private static var path: String? {
    getenv("NOTIFY_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  static func send(_ state: String) {
    guard let path else { return }
    guard news.withLock({ $0.add(state) }) else { return }
    thread.async {
      if let state = news.withLock({ $0.next() }) { deliver(state, to: path) }
    }
  }

  private static func deliver(_ state: String, to path: String) {
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return }
    let socket = OwnedDescriptor(owning: number)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }  // This marks an abstract name.
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
    var state = state
    _ = state.withUTF8 { text in
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(socket.raw, text.baseAddress, text.count, Int32(MSG_NOSIGNAL), $0, length)
        }
      }
    }
  }
}
