import CaptureSystem
import CaptureWire
import Glibc

/// A blocking socket that says what a test wants, and reads when a test wants.
final class RawClient: Sendable {
  let descriptor: Int32

  /// Connects; with `receiveBuffer` bytes of room in the kernel, `from` an address of this machine.
  init(_ address: SocketAddress, receiveBuffer: Int32? = nil, from source: String? = nil) throws {
    let family = if case .unix = address { AF_UNIX } else { AF_INET }
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    if let source {
      let own = SocketAddress.internet(host: source, port: 0, family: .v4)
      _ = try own.withNative { [descriptor] (pointer, size) throws(Errno) in
        if bind(descriptor, pointer, size) != 0 { throw Errno.current }
      }
    }
    _ = try address.withNative { [descriptor] (pointer, size) throws(Errno) in
      if connect(descriptor, pointer, size) != 0 { throw Errno.current }
    }
  }

  deinit { close(descriptor) }

  func send(_ envelope: Envelope) { send(PacketEncoder.header(envelope)) }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// In one piece.
  func send(_ envelopes: [Envelope]) {
    let packets = envelopes.flatMap { PacketEncoder.header($0) }
    _ = write(descriptor, packets, packets.count)
  }

  /// All that comes until the node closes.
  func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Reads so many bytes, and drops them.
  func read(_ length: Int) {
    var left = length
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while left > 0 {
      let count = Glibc.read(descriptor, &buffer, min(left, buffer.count))
      guard count > 0 else { return }
      left -= count
    }
  }

  /// Closes with a RST, at once behind what was sent.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    leave()
  }

  /// Closes, as the kernel does for a process that was killed.
  func leave() {
    let nothing = open("/dev/null", O_RDONLY)
    _ = dup2(nothing, descriptor)
    close(nothing)
  }
}
