import CaptureSystem
import CaptureWire
import Dispatch
import Glibc

@testable import CaptureTransport

/// A socket that gives and takes little at a time, often nothing, and is reset after so many bytes.
final class FaultyStream: ByteStream {
  private static let rooms = [0, 1, 3, 17, 1_000, 40_000]
  private let socket: SocketStream
  private var random: RandomSource
  private var left: Int
  private let piece = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 1)

  init(_ socket: SocketStream, seed: UInt64, failsAfter bytes: Int = .max) {
    self.socket = socket
    random = RandomSource(seed: seed)
    left = bytes
  }

  deinit { piece.deallocate() }

  /// Connects to `node` through one.
  static func client(_ node: Node, seed: UInt64, failsAfter bytes: Int = .max) async throws
    -> ClientConnection
  {
    let (raw, found) = try await Connector.connect(to: node.address, timeout: .seconds(20))
    let stream = FaultyStream(
      SocketStream(OwnedDescriptor(owning: raw), to: found), seed: seed, failsAfter: bytes)
    let client = ClientConnection(found, stream, ClientConfiguration(), pool: PayloadPool(keep: 1))
    try await client.open(until: MonotonicClock.now() + 20_000_000_000)
    return client
  }

  func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    try shorten(pieces)
    return took(try socket.read(into: UnsafeBufferPointer(piece)))
  }

  func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    try shorten(pieces)
    return took(try socket.write(UnsafeBufferPointer(piece)))
  }

  private func shorten(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) {
    guard left > 0 else { throw Errno(rawValue: ECONNRESET) }
    let room = Self.rooms[Int(random.next() % UInt64(Self.rooms.count))]
    guard room > 0 else { throw .again }
    piece[0] = iovec(iov_base: pieces[0].iov_base, iov_len: min(pieces[0].iov_len, room))
  }

  private func took(_ count: Int) -> Int {
    left -= count
    return count
  }

  func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void
  ) { socket.activate(on: loop, readable: readable, writable: writable) }
  func awaitWritable() { socket.awaitWritable() }
  func becameWritable() { socket.becameWritable() }
  func setReading(_ isReading: Bool) { socket.setReading(isReading) }
  func shutdownWriting() { socket.shutdownWriting() }
  func close() { socket.close() }
  func reset() { socket.reset() }
}

/// Repeatable.
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 2 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
