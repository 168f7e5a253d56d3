import CaptureSystem
import CaptureWire
import Glibc
import Synchronization
import Testing

@testable import CaptureTransport

@Suite struct LongEnvelopeTests {
  /// A client's stream of which everything has come already. It notes how much was read each time that the node pauses.
  private final class FilledStream: ByteStream, @unchecked Sendable {
    let pauses = Mutex<[Int]>([])
    private let bytes: [UInt8]
    private let record: Int
    private var taken = 0
    private var isReading = true
    private var loop: TransportLoop?
    private var readable: @Sendable () -> Void = {}

    /// `record`: a read ends with every so many bytes, as one of TLS does.
    init(_ bytes: [UInt8], record: Int) { (self.bytes, self.record) = (bytes, record) }

    func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
      let start = taken
      for piece in pieces {
        let part = bytes[taken...].prefix(min(piece.iov_len, record - start % record - (taken - start)))
        UnsafeMutableRawBufferPointer(start: piece.iov_base, count: piece.iov_len).copyBytes(from: part)
        taken += part.count
      }
      guard taken > start else { throw .again }
      return taken - start
    }

    func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
      pieces.reduce(0) { $0 + $1.iov_len }
    }

    func activate(
      on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
      writable: @escaping @Sendable () -> Void
    ) {
      (self.loop, self.readable) = (loop, readable)
      call()
    }

    private func call() {
      loop?.serial.async { [self] in
        guard isReading, taken < bytes.count else { return }
        readable()
        call()
      }
    }

    func setReading(_ isReading: Bool) {
      self.isReading = isReading
      if isReading { call() } else { pauses.withLock { $0.append(taken) } }
    }

    func awaitWritable() {}
    func becameWritable() {}
    func shutdownWriting() {}
    func close() { (isReading, loop) = (false, nil) }
    func reset() { close() }
  }

  @Test(arguments: [1 << 30, 16_384])
  func aConnectionPausesBetweenThemAndNotInTheMiddleOfOne(record: Int) async throws {
    let hello = PacketEncoder.header(Envelope(kind: .hello(Hello(version: 1))))
    var bytes = hello
    let length = Self.request(1).count
    for number in 0..<60 as Range<UInt32> { bytes += Self.request(2 * number + 1) }
    let stream = FilledStream(bytes, record: record)
    let loop = TransportLoop()
    let connection = ServerConnection(
      id: 1, arrival: Arrival(way: .loopback, peer: "test"), stream: stream, loop: loop,
      services: ServiceTable([]), configuration: NodeConfiguration(), pool: PayloadPool(keep: 1),
      counters: NodeCounters(), server: NodeServer(services: []),
      origin: Origin(.internet(host: "127.0.0.1", port: 1, family: .v4), -1),
      originState: OriginState(loops: 1))
    connection.onLoop { $0.start() }
    try await eventually(.seconds(20)) { stream.pauses.withLock { $0.count >= 10 } }
    for taken in stream.pauses.withLock({ $0 }) {
      #expect((taken - hello.count) % length == 0, "it paused after \(taken) bytes")
    }
    connection.onLoop { $0.close() }
  }

  /// A call with a long list, of which the node knows no method.
  private static func request(_ id: UInt32) -> [UInt8] {
    // Numbers below 128 have one digit on the wire.
    let body = [UInt8](repeating: 1, count: 48_000)
    return PacketEncoder.header(Envelope(callID: id, kind: .request(Request(method: "a/B", body: body))))
  }
}
