import CaptureSystem
import CaptureTLS
import Glibc

/// A connection that a node has accepted. Its first byte decides whether it is encrypted.
final class FirstByteStream: ByteStream {
  private let socket: any ByteStream
  private let context: TLSContext
  private let handshake: PooledHandshake
  private var encrypted: TLSStream?
  private var isDecided = false
  private var loop: TransportLoop?
  private var readable: @Sendable () -> Void = {}
  private var writable: @Sendable () -> Void = {}

  /// The first byte of a TLS connection: a record with a handshake.
  private static let handshakeRecord: UInt8 = 0x16

  init(_ socket: any ByteStream, _ context: TLSContext, _ handshake: PooledHandshake) {
    self.socket = socket
    self.context = context
    self.handshake = handshake
  }

  var isEncrypted: Bool { encrypted != nil }
  var overhead: Int { encrypted?.overhead ?? 0 }
  private var current: any ByteStream { encrypted ?? socket }

  func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    if isDecided { return try current.read(into: pieces) }
    let count = try socket.read(into: pieces)
    guard count > 0 else { return count }
    isDecided = true
    guard pieces[0].iov_base!.load(as: UInt8.self) == Self.handshakeRecord else { return count }
    guard let loop, let session = try? TLSSession(context) else { throw Errno(rawValue: ENOMEM) }
    let encrypted = TLSStream(socket, session, pooled: handshake)
    encrypted.prepare(on: loop, readable: readable, writable: writable)
    var left = count
    for piece in pieces where left > 0 {
      let part = min(left, piece.iov_len)
      encrypted.receive(UnsafeRawBufferPointer(start: piece.iov_base, count: part))
      left -= part
    }
    self.encrypted = encrypted
    return try encrypted.read(into: pieces)
  }

  func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int { try current.write(pieces) }

  func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void, writable: @escaping @Sendable () -> Void
  ) {
    (self.loop, self.readable, self.writable) = (loop, readable, writable)
    nonisolated(unsafe) weak let stream = self
    socket.activate(on: loop, readable: readable) {
      if let encrypted = stream?.encrypted { encrypted.socketBecameWritable() } else { writable() }
    }
  }

  func awaitWritable() { current.awaitWritable() }
  func becameWritable() { current.becameWritable() }
  func setReading(_ isReading: Bool) { current.setReading(isReading) }
  func shutdownWriting() { current.shutdownWriting() }
  func close() { current.close() }
  func reset() { current.reset() }
}
