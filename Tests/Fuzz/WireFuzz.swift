// What libFuzzer runs (meter.c): everything that a peer's bytes reach before a handler does: the packet decoder, the envelope's
// decoding and the state machines of both sides, with answers, aborts and partial writes in between. Built and run by scripts/fuzz.
import CaptureSystem
import CaptureWire
import Glibc

private let methods = MethodTable([
  MethodDescriptor(name: "t/U", kind: .unary, requestPayloadLimit: 4_096),
  MethodDescriptor(name: "t/D", kind: .serverStream),
  MethodDescriptor(name: "t/C", kind: .clientStream, requestPayloadLimit: 4_096),
])
private let pool = PayloadPool(keep: 4)
private nonisolated(unsafe) var batch = WriteBatch()
private let frame = Payload(copying: [UInt8](repeating: 7, count: 5_000))

private let hello = PacketEncoder.header(
  Envelope(kind: .hello(Hello(version: 1, limits: Limits(maxChunkBytes: 4_096)))))

/// So small that a short input reaches every limit.
private let limited: ServerConnectionState.Configuration = {
  var configuration = ServerConnectionState.Configuration()
  configuration.maxCalls = 8
  configuration.initialCredit = 2
  configuration.cancelBurst = 6
  return configuration
}()

/// The node's side of a connection, after the client's Hello and with nothing left to write where `isGreeted`.
private func newServer(isGreeted: Bool) -> ServerConnectionState {
  var state = ServerConnectionState(configuration: limited, methods: methods, pool: pool, now: 0)
  if isGreeted { greet(&state, limits: .node) }
  while isGreeted, !state.outbox.isEmpty { write(&state.outbox, room: .max) }
  return state
}

private let patient = CallOptions(timeout: .seconds(20))

/// The client's side, with a call of each kind.
private func newClient(isGreeted: Bool) -> ClientConnectionState {
  var configuration = ClientConnectionState.Configuration()
  configuration.payloadLimit = 65_536
  var state = ClientConnectionState(configuration: configuration, pool: pool, now: 0)
  for name in ["t/U", "t/D", "t/C"] {
    _ = try? state.open(
      methods[methods.place(of: name)!], RawMessage(body: [1]), last: name != "t/C", options: patient, now: 1)
  }
  if isGreeted { greet(&state, limits: .client) }
  while isGreeted, !state.outbox.isEmpty { write(&state.outbox, room: .max) }
  return state
}

private func greet(_ state: inout some InboundState & ~Copyable, limits: PacketLimits) {
  var inbound = Inbound(limits: limits)
  hello.withUnsafeBytes { try? inbound.consume($0, into: &state, now: 1) }
}

@_cdecl("fuzz_one")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard count > 2, let start else { return }
  // Two bytes say how the rest is cut, to which side it goes, and how fast time passes.
  let mode = start[0]
  let input = UnsafeRawBufferPointer(start: start + 2, count: count - 2)
  // Short inputs byte by byte; more pieces would find nothing more, and take the time of many inputs.
  let step = max(Int(start[1]) + 1, input.count / 32)
  let pause: UInt64 = mode & 4 == 0 ? 1_000_000 : 1_500_000_000
  if mode & 1 == 0 {
    feedServer(input, step: step, pause: pause, isGreeted: mode & 2 == 0)
  } else {
    feedClient(input, step: step, pause: pause, isGreeted: mode & 2 == 0)
  }
}

func feedServer(_ input: UnsafeRawBufferPointer, step: Int, pause: UInt64, isGreeted: Bool) {
  var state = newServer(isGreeted: isGreeted)
  var inbound = Inbound(limits: .node)
  var now: UInt64 = 1
  var offset = 0
  while offset < input.count, !state.isClosing, !state.isDead {
    let piece = UnsafeRawBufferPointer(rebasing: input[offset..<min(offset + step, input.count)])
    offset += piece.count
    now += pause
    do throws(ProtocolViolation) {
      try inbound.consume(piece, into: &state, now: now)
    } catch {
      state.goAway(error)
    }
    answer(&state)
    state.tick(now: now)
    write(&state.outbox, room: step * 3)
    precondition(inbound.stagedCount <= PacketLimits.node.envelope + PacketPrefix.size)
    precondition(state.runningHandlers <= limited.maxCalls && state.openCalls <= limited.maxCalls)
    precondition(state.callsFailed <= state.callsTotal)
  }
  while !state.outbox.isEmpty { write(&state.outbox, room: .max) }
}

private func answer(_ state: inout ServerConnectionState) {
  let actions = state.actions
  state.actions = []
  for action in actions {
    switch action {
    case .start(let call) where call.method.kind == .serverStream && state.canSend(call.id):
      try? state.send(call.id, RawMessage(body: [1], payload: frame), reportedDiscards: 0)
    case .start(let call) where call.method.kind == .unary && call.id % 3 == 0:
      state.handlerEnded(call.id, RPCError(.ok, ""))
    case .message(let id, _):
      state.consumed(id)
      if id % 3 == 0 { state.handlerEnded(id, RPCError(.ok, "")) }
    case .credit(let id):
      state.outbox.releasePartial(of: id)
      _ = state.abortFrame(id)
    case .stop(let id): state.handlerEnded(id, RPCError(.cancelled, ""))
    default: break
    }
  }
}

func feedClient(_ input: UnsafeRawBufferPointer, step: Int, pause: UInt64, isGreeted: Bool) {
  var state = newClient(isGreeted: isGreeted)
  var inbound = Inbound(limits: .client)
  var now: UInt64 = 1
  var offset = 0
  while offset < input.count, state.failure == nil {
    let piece = UnsafeRawBufferPointer(rebasing: input[offset..<min(offset + step, input.count)])
    offset += piece.count
    now += pause
    do throws(ProtocolViolation) {
      try inbound.consume(piece, into: &state, now: now)
    } catch {
      state.fail(error)
    }
    for case .message(let id, _) in state.actions { state.consumed(id) }
    state.actions = []
    state.tick(now: now)
    write(&state.outbox, room: step * 3)
  }
}

private func write(_ outbox: inout Outbox, room: Int) {
  guard !outbox.isEmpty else { return }
  _ = try? outbox.write(&batch) { pieces throws(Errno) in min(room, pieces.reduce(0) { $0 + $1.iov_len }) }
}
