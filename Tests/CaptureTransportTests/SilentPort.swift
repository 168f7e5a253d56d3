import CaptureSystem
import Glibc
import Testing

@testable import CaptureTransport

/// A TCP port of this machine that answers nobody: its backlog is full, so the kernel drops every further SYN.
final class SilentPort: Sendable {
  let address: SocketAddress
  private let listener: SharedDescriptor
  /// The connections that fill the backlog, and one that gets no answer.
  private let crowd: [SharedDescriptor]

  init() throws {
    let any = SocketAddress.internet(host: "127.0.0.1", port: 0, family: .v4)
    let listener = SharedDescriptor(try Sockets.make(for: any))
    _ = try any.withNative { (pointer, size) throws(Errno) in
      if bind(listener.raw, pointer, size) != 0 || listen(listener.raw, 1) != 0 { throw Errno.current }
    }
    let address = try #require(try Sockets.localAddress(listener.raw))
    var crowd: [SharedDescriptor] = []
    var isAnswered = true
    while isAnswered {
      try #require(crowd.count < 100, "the backlog does not fill")
      let next = SharedDescriptor(try Sockets.make(for: address))
      crowd.append(next)
      isAnswered = try Sockets.connect(next.raw, to: address)
      if !isAnswered { isAnswered = try Self.isAnswered(next.raw) }
    }
    (self.address, self.listener, self.crowd) = (address, listener, crowd)
  }

  /// Whether a socket that connects gets an answer. Within a machine that takes no time.
  private static func isAnswered(_ descriptor: Int32) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return try retryingInterrupts { poll(&entry, 1, 200) } > 0
  }

  /// How many sockets try to connect to it, beside its own (`SYN_SENT`).
  var callers: Int {
    get throws {
      guard case .internet(_, let port, _) = address else { return 0 }
      let hexadecimal = String(port, radix: 16, uppercase: true)
      let remote = "0100007F:" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
      let table = String(decoding: try SmallFile.bytes(of: "/proc/net/tcp", upTo: 1 << 24), as: UTF8.self)
      let sockets = table.split(separator: "\n").map { $0.split(separator: " ") }
      return sockets.filter { $0.count > 3 && $0[2] == remote && $0[3] == "02" }.count - 1
    }
  }
}
