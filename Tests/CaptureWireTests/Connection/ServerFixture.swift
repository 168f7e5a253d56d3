import CaptureSystem
import Glibc

@testable import CaptureWire

/// The node's state machine without a socket: envelopes in, envelopes out.
final class ServerFixture {
  static let methods = MethodTable([
    MethodDescriptor(name: "t.S/Unary", kind: .unary, requestPayloadLimit: 1_000),
    MethodDescriptor(name: "t.S/Plain", kind: .unary),
    MethodDescriptor(name: "t.S/Down", kind: .serverStream),
    MethodDescriptor(name: "t.S/Up", kind: .clientStream, requestPayloadLimit: 1_000),
  ])

  var state: ServerConnectionState
  private var inbound = Inbound(limits: .node)
  private var batch = WriteBatch()

  init(isGreeted: Bool = true, configure: (inout ServerConnectionState.Configuration) -> Void = { _ in }) {
    var configuration = ServerConnectionState.Configuration()
    configure(&configuration)
    state = ServerConnectionState(
      configuration: configuration, methods: Self.methods, pool: PayloadPool(), now: 0)
    guard isGreeted else { return }
    feed(Envelope(kind: .hello(Hello(version: 1))))
    _ = output()
  }

  var isClosing: Bool { state.isClosing }
  var isDead: Bool { state.isDead }

  /// Takes a packet as if it had been read.
  func feed(_ envelope: Envelope, chunk: [UInt8] = [], now: UInt64 = 0) {
    feed(PacketEncoder.header(envelope, chunkLength: chunk.count) + chunk, now: now)
  }

  func feed(_ bytes: [UInt8], now: UInt64 = 0) {
    state.heard(now: now)
    bytes.withUnsafeBytes { bytes in
      do throws(ProtocolViolation) {
        try inbound.consume(bytes, into: &state, now: now)
      } catch {
        state.goAway(error)
      }
    }
  }

  func open(
    _ id: UInt32, _ method: String, body: [UInt8] = [], last: Bool = true, payload: UInt64 = 0,
    chunk: [UInt8] = [],
    credit: UInt32 = 0, noMessage: Bool = false, timeout: UInt32 = 0
  ) {
    feed(
      Envelope(
        callID: id,
        kind: .request(
          Request(
            method: method, timeoutMs: timeout, credit: credit, body: body, last: last,
            payloadLength: payload,
            noMessage: noMessage))), chunk: chunk)
  }

  /// Everything that waits to be written, as packets.
  func output() -> [Envelope] {
    let bytes = written()
    return PacketDecoderTests.decode(bytes, cuts: [], limits: .client).envelopes
  }

  func written() -> [UInt8] {
    var bytes: [UInt8] = []
    while !state.outbox.isEmpty { write(.max, &bytes) }
    return bytes
  }

  /// One write of which the socket takes `room` bytes.
  func write(_ room: Int, _ bytes: inout [UInt8]) {
    var taken: [UInt8] = []
    _ = try? state.outbox.write(&batch) { pieces throws(Errno) in
      for piece in pieces where taken.count < room {
        taken += UnsafeRawBufferPointer(start: piece.iov_base, count: min(piece.iov_len, room - taken.count))
      }
      return taken.count
    }
    bytes += taken
  }

  /// The status that the node has answered this call with.
  func status(of id: UInt32) -> Status? {
    for envelope in output() where envelope.callID == id {
      if case .status(let status) = envelope.kind { return status }
    }
    return nil
  }

  func goAway() -> GoAway? {
    for envelope in output() {
      if case .goAway(let goAway) = envelope.kind { return goAway }
    }
    return nil
  }
}
