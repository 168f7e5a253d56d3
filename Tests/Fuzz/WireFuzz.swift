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
private nonisolated(unsafe) let batch = WriteBatch()
private let frame = Payload(copying: [UInt8](repeating: 7, count: 5_000))

private let hello = PacketEncoder.header(
  Envelope(kind: .hello(Hello(version: 1, limits: Limits(maxChunkBytes: 4_096)))))

/// A side as it is when an input begins. Made once: what every input has in common would take most of the time.
private struct Beginning<State: InboundState> {
  var state: State
  var inbound: Inbound

  /// After a Hello with nothing left to write.
  mutating func greet(_ outbox: WritableKeyPath<State, Outbox>) {
    hello.withUnsafeBytes { try? inbound.consume($0, into: &state, now: 1) }
    while !state[keyPath: outbox].isEmpty { write(&state[keyPath: outbox], room: .max) }
  }
}

private nonisolated(unsafe) let newServer = Beginning(
  state: ServerConnectionState(configuration: .init(), methods: methods, pool: pool, now: 0),
  inbound: Inbound(limits: .node))

private nonisolated(unsafe) let greetedServer = {
  var server = newServer
  server.greet(\.outbox)
  return server
}()

private nonisolated(unsafe) let newClient = {
  var configuration = ClientConnectionState.Configuration()
  configuration.payloadLimit = 65_536
  return Beginning(
    state: ClientConnectionState(configuration: configuration, pool: pool, now: 0),
    inbound: Inbound(limits: .client)
  ).calling()
}()

private nonisolated(unsafe) let greetedClient = {
  var client = newClient
  client.greet(\.outbox)
  return client
}()

extension Beginning<ClientConnectionState> {
  /// With a call of each kind.
  fileprivate func calling() -> Self {
    var client = self
    for name in ["t/U", "t/D", "t/C"] {
      _ = try? client.state.open(
        methods[name]!, RawMessage(body: [1]), last: name != "t/C", options: CallOptions(), now: 1)
    }
    return client
  }
}

@_cdecl("fuzz_one")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard count > 2, let start else { return }
  // Two bytes say how the rest is cut and to which side it goes.
  let mode = start[0]
  let step = Int(start[1]) + 1
  let input = UnsafeRawBufferPointer(start: start + 2, count: count - 2)
  if mode & 1 == 0 {
    feedServer(input, step: step, isGreeted: mode & 2 == 0)
  } else {
    feedClient(input, step: step, isGreeted: mode & 2 == 0)
  }
}

private func feedServer(_ input: UnsafeRawBufferPointer, step: Int, isGreeted: Bool) {
  let beginning = isGreeted ? greetedServer : newServer
  var (state, inbound) = (beginning.state, beginning.inbound)
  var now: UInt64 = 1
  var offset = 0
  while offset < input.count, !state.isClosing {
    let piece = UnsafeRawBufferPointer(rebasing: input[offset..<min(offset + step, input.count)])
    offset += piece.count
    now += 1_000_000
    do throws(ProtocolViolation) {
      try inbound.consume(piece, into: &state, now: now)
    } catch {
      state.goAway(error)
    }
    answer(&state, now)
    state.tick(now: now)
    write(&state.outbox, room: step * 3)
    precondition(inbound.stagedCount <= PacketLimits.node.envelope + PacketPrefix.size)
    precondition(state.runningHandlers <= 100 && state.openCalls <= 100)
  }
  while !state.outbox.isEmpty { write(&state.outbox, room: .max) }
}

private func answer(_ state: inout ServerConnectionState, _ now: UInt64) {
  let actions = state.actions
  state.actions = []
  for action in actions {
    switch action {
    case .start(let id, let method, _, _) where method.kind == .serverStream && state.canSend(id):
      try? state.send(id, RawMessage(body: [1], payload: frame), reportedDiscards: 0, now: now)
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

private func feedClient(_ input: UnsafeRawBufferPointer, step: Int, isGreeted: Bool) {
  let beginning = isGreeted ? greetedClient : newClient
  var (state, inbound) = (beginning.state, beginning.inbound)
  var offset = 0
  while offset < input.count, state.failure == nil {
    let piece = UnsafeRawBufferPointer(rebasing: input[offset..<min(offset + step, input.count)])
    offset += piece.count
    do throws(ProtocolViolation) {
      try inbound.consume(piece, into: &state, now: 2)
    } catch {
      state.fail(error)
    }
    for case .message(let id, _) in state.actions { state.consumed(id) }
    state.actions = []
    write(&state.outbox, room: step * 3)
  }
}

private func write(_ outbox: inout Outbox, room: Int) {
  _ = try? outbox.write(batch) { pieces throws(Errno) in min(room, pieces.reduce(0) { $0 + $1.iov_len }) }
}
