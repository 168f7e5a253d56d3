import CaptureSystem
import Glibc

@testable import CaptureWire

/// The client's state machine without a socket: envelopes in, envelopes out.
final class ClientFixture {
  static let unary = MethodDescriptor(name: "t.S/Unary", kind: .unary)
  static let down = MethodDescriptor(name: "t.S/Down", kind: .serverStream)
  static let up = MethodDescriptor(name: "t.S/Up", kind: .clientStream)

  var state: ClientConnectionState
  private var inbound = Inbound(limits: .client)
  private var batch = WriteBatch()

  init(isGreeted: Bool = true, configure: (inout ClientConnectionState.Configuration) -> Void = { _ in }) {
    var configuration = ClientConnectionState.Configuration()
    configure(&configuration)
    state = ClientConnectionState(configuration: configuration, pool: PayloadPool(), now: 0)
    guard isGreeted else { return }
    feed(.hello(Hello(version: 1, initialCredit: 2)))
    state.actions = []
    _ = output()
  }

  /// Takes a packet as if it had been read.
  func feed(_ kind: Envelope.Kind?, on call: UInt32 = 0, chunk: [UInt8] = []) {
    state.heard(now: 0)
    let packet = PacketEncoder.header(Envelope(callID: call, kind: kind), chunkLength: chunk.count) + chunk
    packet.withUnsafeBytes { bytes in
      do throws(ProtocolViolation) {
        try inbound.consume(bytes, into: &state, now: 0)
      } catch {
        state.fail(error)
      }
    }
  }

  func open(
    _ method: MethodDescriptor, timeout: Duration? = nil, window: UInt32 = 2
  ) throws(RPCError) -> UInt32 {
    try state.open(
      method, RawMessage(body: [1]), last: method.kind != .clientStream,
      options: CallOptions(timeout: timeout, window: window), now: 0)
  }

  /// Everything that waits to be written, as packets.
  func output() -> [Envelope] {
    var bytes: [UInt8] = []
    while !state.outbox.isEmpty {
      _ = try? state.outbox.write(&batch) { pieces throws(Errno) in
        for piece in pieces { bytes += UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len) }
        return pieces.reduce(0) { $0 + $1.iov_len }
      }
    }
    return PacketDecoderTests.decode(bytes, cuts: [], limits: .node).envelopes
  }

  /// How the calls ended, in order; `nil` for OK.
  func endings() -> [(UInt32, RPCError?)] {
    defer { state.actions = [] }
    return state.actions.compactMap { action in
      if case .ended(let id, let error) = action { (id, error) } else { nil }
    }
  }

  /// The messages that arrived since.
  func messages() -> [(UInt32, RawMessage)] {
    defer { state.actions = [] }
    return state.actions.compactMap { action in
      if case .message(let id, let message) = action { (id, message) } else { nil }
    }
  }
}
